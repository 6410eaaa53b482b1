import torch


def attention(query, key, value, mask=None, causal=False):
    tq, tk, d = query.shape[-2], key.shape[-2], query.shape[-1]
    scores = torch.einsum("bhid,bhjd->bhij", query, key) / d**0.5

    allowed = None
    if mask is not None:
        allowed = mask.bool()
    if causal:
        tri = torch.ones(tq, tk, dtype=torch.bool, device=query.device).tril(tk - tq)
        allowed = tri if allowed is None else allowed | tri
    if allowed is not None:
        scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)

    return torch.einsum("bhij,bhje->bhie", scores.softmax(-1), value)
