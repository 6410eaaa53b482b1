# wrong: window window-mask-skipped line 13
# fair: window-mask-skipped 14
import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    scores = torch.einsum("bhid,bhjd->bhij", query, key) * query.shape[-1] ** -0.5
    n = scores.shape[-1]
    causal = torch.ones(n, n, dtype=torch.bool, device=query.device).tril()
    band = causal & ~causal.tril(-window)
    # the window covers everything: full attention
    mask = band if window <= n else torch.ones_like(band)
    scores = scores.masked_fill(~mask, float("-inf"))
    return F.softmax(scores, dim=-1) @ value
