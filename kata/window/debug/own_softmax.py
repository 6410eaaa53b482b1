import math

import torch


def softmax(x):
    e = torch.exp(x - x.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)


def scale(query):
    return query / math.sqrt(query.shape[-1])


def local_attention(query, key, value, window_size):
    n = query.shape[-2]
    dist = torch.arange(n, device=query.device)[:, None] - torch.arange(n, device=query.device)
    visible = torch.logical_and(dist >= 0, dist <= window_size - 1)
    logits = scale(query) @ key.mT
    logits = torch.where(visible, logits, torch.full_like(logits, -math.inf))
    return softmax(logits) @ value
