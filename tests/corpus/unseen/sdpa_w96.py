import torch


def attention(query, key, value, mask=None, causal=False):
    T, S = query.shape[-2], key.shape[-2]
    keep = torch.ones(T, S, dtype=torch.bool, device=query.device)
    if causal:
        keep = keep.tril(T - S)
    if mask is not None:
        keep = keep & (mask != 0)

    s = (query @ key.mT) * query.shape[-1] ** -0.5
    s = s.masked_fill(~keep, torch.finfo(s.dtype).min)
    w = s.softmax(-1)
    return w @ value
