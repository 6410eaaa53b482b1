# wrong: window window-mask-skipped line 19
import math

import torch


def band(length, window, device):
    """True = 看不到"""
    offset = torch.arange(length, device=device)
    distance = offset.view(-1, 1) - offset.view(1, -1)      # query - key
    return (distance < 0) | (distance >= window)


def window_attention(query, key, value, window):
    length = query.size(2)
    scores = torch.matmul(query, key.transpose(-1, -2))
    scores = scores / math.sqrt(query.size(-1))
    # 窗口比序列长时不用截断
    if window < length:
        scores = scores.masked_fill(band(length, window, query.device), float("-inf"))
    weights = scores.softmax(dim=-1)
    return torch.matmul(weights, value)
