import torch
from torch import Tensor, arange, inf


def slopes(heads: int) -> Tensor:
    out, n = [], 1
    while n * 2 <= heads:
        n *= 2
    for i in range(1, n + 1):
        out.append(2 ** (-8 * i / n))
    i = 1
    while len(out) < heads:
        out.append(2 ** (-8 * i / (2 * n)))
        i += 2
    return torch.tensor(out)


def _distance(rows: int, cols: int) -> Tensor:
    """distance[i, j] = how far key j lies behind query i"""
    r = arange(rows)
    c = arange(cols)
    return r[:, None] - c


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    d = _distance(query_length, key_length)
    future = d < 0
    pen = d.to(torch.float32) * slopes(heads).reshape(heads, 1, 1)
    return (-pen).masked_fill(future, -inf)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    scale = query.size(-1) ** -0.5
    s = torch.matmul(query * scale, key.transpose(2, 3))
    B = bias(query.size(1), query.size(2), key.size(2)).to(s.device)
    w = torch.softmax((s.float() if s.dtype in (torch.half, torch.bfloat16) else s) + B, -1)
    return torch.matmul(w.to(value.dtype), value)
