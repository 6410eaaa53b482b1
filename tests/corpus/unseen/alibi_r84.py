"""ALiBi, the way I'd write it in JAX: pure functions, no state."""
from __future__ import annotations

import math
from functools import reduce

import torch
import torch.nn.functional as F
from torch import Tensor


def _geometric(n: int) -> Tensor:
    i = torch.arange(1, n + 1, dtype=torch.float64)
    return torch.exp2(-8.0 * i / n)


def slopes(heads: int) -> Tensor:
    lower = 1 << (heads.bit_length() - 1)
    missing = heads - lower
    if missing == 0:
        return _geometric(heads)
    return torch.cat((_geometric(lower), _geometric(2 * lower)[::2][:missing]))


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    here = torch.arange(key_length - query_length, key_length)
    there = torch.arange(key_length)
    behind = here.unsqueeze(1) - there.unsqueeze(0)
    ramp = torch.where(behind >= 0, -behind.double(), -math.inf)
    return torch.einsum("h,qk->hqk", slopes(heads), ramp)


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    compute = torch.promote_types(query.dtype, torch.float32)
    q, k, v = (t.to(compute) for t in (query, key, value))
    s = torch.einsum("nhqd,nhkd->nhqk", q, k) / math.sqrt(q.shape[-1])
    b = bias(q.shape[1], q.shape[2], k.shape[2]).to(s)
    w = F.softmax(s + b, dim=-1)
    return torch.einsum("nhqk,nhkv->nhqv", w, v).to(query.dtype)
