# wrong: sdpa reshape-not-transpose line 8, masks-ored line 14
import torch


def attention(query, key, value, mask=None, causal=False):
    b, h, n, d = query.shape
    m = key.shape[2]
    scores = query @ key.reshape(b, h, d, m) * d**-0.5
    may = None
    if mask is not None:
        may = mask > 0
    if causal:
        step = torch.ones(n, m, dtype=torch.bool, device=query.device).tril(m - n)
        may = step if may is None else may | step
    if may is not None:
        scores = torch.where(may, scores, float("-inf"))
    return scores.softmax(-1) @ value
