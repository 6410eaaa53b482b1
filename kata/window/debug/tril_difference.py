import math

import torch
import torch.nn.functional as F


def window_attention(query, key, value, window):
    T = query.size(2)
    scores = torch.matmul(query, key.transpose(-2, -1)) / math.sqrt(query.size(-1))
    ones = torch.ones(T, T, device=query.device)
    band = torch.tril(ones) - torch.tril(ones, diagonal=-window)
    scores = scores.masked_fill(band == 0, float("-inf"))
    return torch.matmul(F.softmax(scores, dim=-1), value)
