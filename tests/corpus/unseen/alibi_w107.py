import math

import torch


def slopes(heads):
    n = 2 ** math.floor(math.log2(heads))
    s = torch.pow(2.0, -8.0 * torch.arange(1, n + 1, dtype=torch.float32) / n)
    if n < heads:
        s2 = torch.pow(2.0, -8.0 * torch.arange(1, 2 * n + 1, dtype=torch.float32) / (2 * n))
        s = torch.cat([s, s2[::2][: heads - n]])
    return s


def bias(heads, query_length, key_length):
    i = torch.arange(key_length - query_length, key_length).view(-1, 1)
    j = torch.arange(key_length).view(1, -1)
    rel = (j - i).float()
    rel[j > i] = -math.inf
    return slopes(heads).view(-1, 1, 1) * rel


def attention(query, key, value):
    b, h, tq, d = query.shape
    tk = key.shape[2]
    scale = 1.0 / math.sqrt(d)
    alibi = bias(h, tq, tk).to(device=query.device, dtype=query.dtype)
    alibi = alibi.unsqueeze(0).expand(b, h, tq, tk).reshape(b * h, tq, tk)
    # same fused call as BLOOM
    scores = torch.baddbmm(
        alibi,
        query.reshape(b * h, tq, d),
        key.reshape(b * h, tk, d).transpose(1, 2),
        beta=scale,
        alpha=scale,
    )
    probs = torch.softmax(scores, dim=-1)
    return torch.bmm(probs, value.reshape(b * h, tk, -1)).view(b, h, tq, -1)
