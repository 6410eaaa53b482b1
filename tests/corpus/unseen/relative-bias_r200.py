"""T5 relative bias.

The wide buckets have edges  m (M/m)^{t/w},  t = 1 .. w-1,  w = n - m.  Instead of a logarithm for every
pair the edges are found once, in whole numbers (d^w >= m^{w-t} M^t), and distances are counted past them.
"""
from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=None)
def edges(n: int, max_distance: int) -> tuple[int, ...]:
    m = n // 2
    w = n - m
    found = []
    d = m
    for t in range(1, w):
        while d**w < m ** (w - t) * max_distance**t:
            d += 1
        found.append(d)
    return tuple(found)


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    r = relative_position.to(torch.int64)
    if bidirectional:
        n = num_buckets // 2
        side = n * (r > 0).to(torch.int64)
        d = r.abs()
    else:
        n = num_buckets
        side = torch.zeros_like(r)
        d = torch.relu(-r)
    out = torch.minimum(d, torch.full_like(d, n // 2))
    for edge in edges(n, max_distance):
        out = out + (d >= edge)
    return side + out


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    # b_{qk} = f(k - q) is Toeplitz: f on one line, rows are windows of it
    Q, K = query_length, key_length
    r = torch.arange(1 - K, Q, device=table.device)
    f = table[bucket(r, bidirectional, table.shape[0], max_distance)]  # (K - 1 + Q, heads)
    rows = f.unfold(0, K, 1)  # window w starts at r = 1 - K + w, belongs to position K - 1 - w
    return rows.flip(0).permute(1, 0, 2)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    Q, K = query.shape[-2], key.shape[-2]
    wide = torch.promote_types(query.dtype, torch.float32)
    u = torch.einsum("bhqd,bhkd->bhqk", query.to(wide), key.to(wide))
    u = u + bias(table, Q, K, bidirectional, max_distance).to(wide)
    if not bidirectional:
        k = torch.arange(K, device=u.device)
        q = k[K - Q :]
        u = u.masked_fill(k > q[:, None], float("-inf"))
    p = torch.exp(u - torch.logsumexp(u, -1, keepdim=True))
    return torch.einsum("bhqk,bhkv->bhqv", p, value.to(wide)).to(value.dtype)
