import math
import torch


def window_attention(query, key, value, window):
    outs = []
    for i in range(query.shape[2]):
        q = query[:, :, i:i + 1]                      # (b, h, 1, d)
        k = key[:, :, i - window + 1:i + 1]           # (b, h, w, d)
        v = value[:, :, i - window + 1:i + 1]
        att = torch.softmax(q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]), dim=-1)
        outs.append(att @ v)
    return torch.cat(outs, dim=2)
