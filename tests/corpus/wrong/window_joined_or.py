# wrong: window window-joined-with-or line 9
# fair: window-joined-with-or 9, 10, 11
import torch


def window_attention(query, key, value, window):
    n = query.shape[-2]
    ones = torch.ones(n, n, device=query.device, dtype=torch.bool)
    hidden = ones.triu(1) & ones.tril(-window)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    return scores.masked_fill(hidden, float("-inf")).softmax(-1) @ value
