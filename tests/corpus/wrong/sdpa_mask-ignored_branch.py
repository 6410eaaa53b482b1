# wrong: sdpa mask-ignored line 5
import torch
def attention(query, key, value, mask=None, causal=False):
    logits = query @ key.transpose(-1, -2) * key.shape[-1] ** -0.5
    if mask is None and causal:
        n, m = logits.shape[-2:]
        logits = logits.masked_fill(torch.ones(n, m, device=logits.device).triu(m - n + 1) == 1, float("-inf"))
    weights = logits.softmax(-1)
    return weights @ value
