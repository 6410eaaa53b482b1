from __future__ import annotations

import torch
from torch import Tensor


def power_slopes(count):
    return [2 ** (-8 * i / count) for i in range(1, count + 1)]


def slopes(heads: int) -> Tensor:
    p = 1
    while p * 2 <= heads:
        p *= 2
    return torch.tensor(power_slopes(p) + power_slopes(2 * p)[::2][: heads - p])


def _bias_at(m: Tensor, tq: int, tk: int, device, dtype) -> Tensor:
    j = torch.arange(tk, device=device, dtype=dtype)
    i = j[tk - tq :]
    gap = j[None, :] - i[:, None]
    b = m.to(device=device, dtype=dtype)[:, None, None] * gap
    return torch.where(gap > 0, torch.full_like(b, -torch.inf), b)


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    return _bias_at(slopes(heads), query_length, key_length, "cpu", torch.float32)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    B, H, Tq, D = query.shape
    Tk = key.shape[2]
    s = query @ key.mT * D ** -0.5
    s = s + _bias_at(slopes(H), Tq, Tk, s.device, s.dtype)
    return torch.softmax(s, dim=-1) @ value
