import math

import torch
from torch import Tensor


def _power_of_two_slopes(n: int) -> Tensor:
    start = 2 ** (-(2 ** -(math.log2(n) - 3)))
    return torch.tensor([start * start**i for i in range(n)], dtype=torch.float32)


def slopes(heads: int) -> Tensor:
    if math.log2(heads).is_integer():
        return _power_of_two_slopes(heads)
    closest = 2 ** int(math.log2(heads))
    extra = _power_of_two_slopes(2 * closest)
    return torch.cat([_power_of_two_slopes(closest), extra[: heads - closest]])


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    q = torch.arange(key_length - query_length, key_length).view(1, -1, 1)
    k = torch.arange(key_length).view(1, 1, -1)
    alibi = slopes(heads).view(-1, 1, 1) * (k - q)
    return torch.where(k > q, torch.tensor(-math.inf), alibi)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    dtype = query.dtype
    if dtype in (torch.float16, torch.bfloat16):
        query, key, value = (t.to(torch.float32) for t in (query, key, value))
    heads, q_len, head_dim = query.shape[1:]
    scores = torch.matmul(query, key.transpose(2, 3)) * (head_dim**-0.5)
    scores += bias(heads, q_len, key.shape[2]).to(scores)
    return torch.matmul(scores.softmax(dim=-1), value).to(dtype)
