# wrong: window mask-after-softmax line 12
# fair: mask-after-softmax 11, 12
import torch


def window_attention(query, key, value, window):
    n = query.shape[-2]
    ones = torch.ones(n, n, device=query.device, dtype=torch.bool)
    scores = query @ key.mT / query.shape[-1] ** 0.5
    scores = scores.masked_fill(~ones.tril(), float("-inf"))
    weights = scores.softmax(-1)
    weights = weights * ones.triu(1 - window)
    return weights @ value
