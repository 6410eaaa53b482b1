import math
import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    T = query.size(-2)
    i = torch.arange(T, device=query.device).unsqueeze(1)
    j = torch.arange(T, device=query.device).unsqueeze(0)
    mask = (j <= i) & (i - j <= window)  # (T, T)

    scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
    scores = scores.masked_fill(~mask, float("-inf"))
    weights = F.softmax(scores, dim=-1)
    return weights @ value
