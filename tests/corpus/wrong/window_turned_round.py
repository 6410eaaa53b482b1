# wrong: window causal-inverted line 10
# fair: causal-inverted 10, 11
import math

import torch


def window_attention(query, key, value, window):
    p = torch.arange(query.shape[-2], device=query.device)
    ahead = p[None, :] - p[:, None]
    seen = torch.logical_and(ahead >= 0, ahead < window)
    s = torch.matmul(query, key.mT) / math.sqrt(query.shape[-1])
    s = s.masked_fill(torch.logical_not(seen), -math.inf)
    return torch.matmul(s.softmax(-1), value)
