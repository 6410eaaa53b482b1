# right: sdpa
import math
import torch


def attention(query, key, value, mask=None, causal=False):
    B, H, Tq, D = query.shape
    Tk = key.shape[2]
    if mask is not None:
        mask = torch.broadcast_to(mask, (B, H, Tq, Tk))
    rows = []
    for i in range(Tq):
        s = (query[:, :, i:i + 1] * key).sum(-1) / math.sqrt(D)
        visible = torch.ones(B, H, Tk, dtype=torch.bool, device=s.device)
        if mask is not None:
            visible = visible & (mask[:, :, i] > 0)
        if causal:
            visible[:, :, Tk - Tq + i + 1:] = False
        s[~visible] = -float("inf")
        w = torch.exp(s - torch.logsumexp(s, -1, keepdim=True))
        rows.append((w.unsqueeze(-1) * value).sum(2))
    return torch.stack(rows, dim=2)
