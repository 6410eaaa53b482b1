import math

import torch
from torch import Tensor


def _rates(n: int) -> list[float]:
    if n & (n - 1) == 0:
        first = 2.0 ** (-8.0 / n)
        return [first ** (i + 1) for i in range(n)]
    below = 1 << (n.bit_length() - 1)
    return _rates(below) + _rates(2 * below)[::2][: n - below]


def slopes(heads: int) -> Tensor:
    return torch.tensor(_rates(heads), dtype=torch.float64)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    row = torch.arange(query_length).add(key_length - query_length)
    ahead = torch.arange(key_length) - row[:, None]
    out = ahead * slopes(heads).view(-1, 1, 1)
    out.masked_fill_(ahead > 0, -math.inf)
    return out


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    _, H, M, D = query.shape
    N = key.shape[2]
    wide = torch.promote_types(query.dtype, torch.float32)
    b = bias(H, M, N).to(device=query.device, dtype=wide)
    logits = torch.einsum("bhmd,bhnd->bhmn", query.to(wide), key.to(wide)).div(math.sqrt(D)) + b
    return torch.einsum("bhmn,bhnv->bhmv", logits.softmax(-1), value.to(wide)).to(query.dtype)
