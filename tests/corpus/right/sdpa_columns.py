# right: sdpa
import torch
NEG_INF = float("-inf")
def attention(query, key, value, mask=None, causal=False):
    """Keys first: (…, Tk, Tq), softmax down the columns."""
    Tq, Tk = query.size(-2), key.size(-2)
    s = (key @ query.swapaxes(-1, -2)) / (query.size(-1) ** 0.5)
    if mask is not None:
        shown = mask.bool()
        s = s.masked_fill(~shown.expand(*s.shape[:2], Tq, Tk).transpose(-1, -2), NEG_INF)
    if causal:
        t = torch.arange(Tk, device=s.device)
        s = s.masked_fill(t[:, None] > t[None, Tk - Tq:], NEG_INF)
    p = s.softmax(dim=-2)
    return p.transpose(-1, -2) @ value
