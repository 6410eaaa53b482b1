import math

import torch


def window_attention(query, key, value, window):
    length, head_dim = query.shape[-2:]
    outputs = []
    for i in range(length):
        start = i - window + 1
        q = query[:, :, i:i + 1]            # (b, h, 1, d)
        k = key[:, :, start:i + 1]          # (b, h, w, d)
        v = value[:, :, start:i + 1]
        scores = q @ k.transpose(-2, -1) / math.sqrt(head_dim)
        weights = torch.softmax(scores, dim=-1)
        outputs.append(weights @ v)
    return torch.cat(outputs, dim=2)
