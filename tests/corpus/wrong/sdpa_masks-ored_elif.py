# wrong: sdpa masks-ored line 13
import torch, math


def attention(query, key, value, mask=None, causal=False):
    Tq, Tk = query.shape[-2], key.shape[-2]
    allowed = (
        torch.ones(Tq, Tk, dtype=torch.bool, device=query.device).tril(Tk - Tq)
        if causal
        else torch.zeros(Tq, Tk, dtype=torch.bool, device=query.device)
    )
    if mask is not None:
        allowed = allowed | mask.bool()
    elif not causal:
        allowed = ~allowed
    s = (query @ key.mT / math.sqrt(query.shape[-1])).masked_fill(~allowed, float("-inf"))
    return s.softmax(-1) @ value
