# attn-kata: alibi
import math

import torch
from torch import Tensor


def _geometric(n: int) -> Tensor:
    i = torch.arange(n, dtype=torch.float32)
    return torch.pow(2.0, -8.0 * i / n)


def slopes(heads: int) -> Tensor:
    below = 1 << (heads.bit_length() - 1)
    first = _geometric(below)
    if below == heads:
        return first
    extra = _geometric(2 * below)[::2][: heads - below]
    return torch.cat((first, extra))


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    keys = torch.arange(key_length)
    queries = keys[key_length - query_length:]
    distance = queries[:, None] - keys[None, :]
    out = -slopes(heads)[:, None, None] * distance
    return out.masked_fill(distance < 0, float("-inf"))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    b = bias(query.shape[1], query.shape[2], key.shape[2])
    scores = scores + b.to(device=scores.device, dtype=scores.dtype)
    return torch.softmax(scores, dim=-1) @ value
