import torch


def attention(query, key, value, mask=None, causal=False):
    *_, n, d = query.shape
    m = key.shape[-2]
    logits = torch.einsum("bhid,bhjd->bhij", query * d**-0.5, key)

    keep = torch.ones(1, 1, dtype=torch.bool, device=query.device)
    if mask is not None:
        keep = mask.to(torch.bool)
    elif causal:
        keep = keep & torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
    logits = logits.masked_fill(~keep, float("-inf"))

    peak = logits.amax(-1, keepdim=True).clamp_min(torch.finfo(logits.dtype).min)
    unnormed = (logits - peak).exp()
    return torch.einsum("bhij,bhjd->bhid", unnormed / unnormed.sum(-1, keepdim=True), value)
