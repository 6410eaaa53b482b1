import math
import torch


def _visible(mask, causal, n, m, device):
    if causal:
        return torch.ones(n, m, dtype=torch.bool, device=device).tril(m - n)
    if mask is not None:
        return mask.bool()
    return None


def attention(query, key, value, mask=None, causal=False):
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    ok = _visible(mask, causal, *scores.shape[-2:], scores.device)
    if ok is not None:
        scores = scores.masked_fill(~ok, float("-inf"))
    return torch.softmax(scores, dim=-1) @ value
