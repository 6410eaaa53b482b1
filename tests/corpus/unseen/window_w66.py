import math
import torch


def window_attention(query, key, value, window):
    T = query.size(-2)
    head_dim = query.size(-1)

    # window can be bigger than the sequence
    if window >= T:
        window = T - 1

    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(head_dim)

    causal = torch.ones(T, T, dtype=torch.bool, device=query.device).tril()
    if window > 0:
        near = torch.ones(T, T, dtype=torch.bool, device=query.device).triu(-(window - 1))
        mask = causal & near
    else:
        mask = causal

    scores = scores.masked_fill(~mask, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    return torch.matmul(weights, value)
