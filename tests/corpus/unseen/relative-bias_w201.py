# T5 bias, with powers of two instead of exp (that is what the hardware has anyway)
from __future__ import annotations

import math

import torch
from torch import Tensor

LOG2E = 1.0 / math.log(2.0)


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    r = relative_position
    n = num_buckets
    start = torch.zeros_like(r)
    if bidirectional:
        n = n // 2
        start = (r > 0).to(r.dtype) * n
        d = r.abs()
    else:
        d = -torch.minimum(r, torch.zeros_like(r))
    m = n // 2
    octaves = torch.log2(torch.clamp(d, min=1).to(torch.float64) / m)
    wide = m + torch.trunc(octaves / math.log2(max_distance / m) * (n - m)).to(r.dtype)
    wide = torch.clamp(wide, max=n - 1)
    return start + torch.where(d < m, d, wide)


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    t = torch.arange(key_length, device=table.device)
    r = t[None, :] - t[key_length - query_length :, None]
    b = bucket(r, bidirectional, table.shape[0], max_distance)
    return torch.nn.functional.embedding(b, table).permute(2, 0, 1)


def softmax2(a: Tensor) -> Tensor:
    """2^a / sum 2^a."""
    w = torch.exp2(a - a.amax(dim=-1, keepdim=True))
    return w / w.sum(dim=-1, keepdim=True)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    L, S = query.shape[-2], key.shape[-2]
    a = torch.einsum("bhqd,bhkd->bhqk", query * LOG2E, key)
    a = a + bias(table, L, S, bidirectional, max_distance)
    if not bidirectional:
        late = torch.arange(S, device=a.device) > torch.arange(S - L, S, device=a.device)[:, None]
        a = a.masked_fill(late, -math.inf)
    return softmax2(a) @ value
