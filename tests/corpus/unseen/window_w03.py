# attn-kata: window
import math

import torch


def window_attention(query, key, value, window):
    length = query.shape[2]
    head_dim = query.shape[3]
    outputs = []
    for i in range(length):
        start = i - window + 1
        end = i + 1
        q = query[:, :, i:i + 1, :]
        k = key[:, :, start:end, :]
        v = value[:, :, start:end, :]
        s = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(head_dim)
        w = torch.softmax(s, dim=-1)
        outputs.append(torch.matmul(w, v))
    result = torch.cat(outputs, dim=2)
    return result
