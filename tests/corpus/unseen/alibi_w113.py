import math

import torch
from torch import Tensor


def _slope_list(heads: int) -> list[float]:
    if math.log2(heads).is_integer():
        start = 2.0 ** (-8.0 / heads)
        return [start ** i for i in range(1, heads + 1)]
    closest = 2 ** math.floor(math.log2(heads))
    return _slope_list(closest) + _slope_list(2 * closest)[1::2][: heads - closest]


def slopes(heads: int) -> Tensor:
    return torch.tensor(_slope_list(heads), dtype=torch.float32)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    k = torch.arange(key_length)
    q = k[key_length - query_length:]
    back = q.unsqueeze(1) - k.unsqueeze(0)
    out = -slopes(heads).view(-1, 1, 1) * back
    return out.masked_fill(back < 0, float('-inf'))


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    h, tq = query.shape[1:3]
    logits = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(query.shape[-1])
    logits = logits + bias(h, tq, key.shape[2]).to(logits)
    return torch.matmul(torch.softmax(logits, -1), value)
