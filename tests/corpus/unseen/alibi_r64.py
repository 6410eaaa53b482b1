from __future__ import annotations

import math

import torch
from torch import Tensor


def slopes(heads: int) -> Tensor:
    pow2 = 1
    while pow2 * 2 <= heads:
        pow2 *= 2
    out = torch.empty(heads, dtype=torch.float32)
    for i in range(pow2):
        out[i] = math.pow(2.0, -8.0 * (i + 1) / pow2)
    for j in range(heads - pow2):
        # odd exponents of the finer series: 1, 3, 5, ...
        out[pow2 + j] = math.pow(2.0, -8.0 * (2 * j + 1) / (2 * pow2))
    return out


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    m = slopes(heads)
    table = torch.full((heads, query_length, key_length), -math.inf, dtype=m.dtype)
    offset = key_length - query_length
    for i in range(query_length):
        own = offset + i
        # distances own, own-1, ..., 1, 0
        steps = torch.arange(own, -1, -1, dtype=m.dtype)
        table[:, i, : own + 1] = -(m.unsqueeze(1) * steps.unsqueeze(0))
    return table


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    nb, nh, nq, hd = query.shape
    nk, vd = value.shape[2], value.shape[3]
    table = bias(nh, nq, nk).to(query.device)
    out = query.new_empty((nb, nh, nq, vd))
    inv = 1.0 / math.sqrt(hd)
    for h in range(nh):
        s = torch.bmm(query[:, h], key[:, h].transpose(1, 2)) * inv
        s = s + table[h].to(s.dtype)
        out[:, h] = torch.bmm(torch.softmax(s, dim=2), value[:, h])
    return out
