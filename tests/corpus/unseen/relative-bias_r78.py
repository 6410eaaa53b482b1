from __future__ import annotations

import math

import torch
from torch import Tensor


def _edges(n: int, max_distance: int) -> list[float]:
    """The distance at which each bucket of one direction begins."""
    m = n // 2
    growth = (max_distance / m) ** (1 / (n - m))
    return [float(d) for d in range(m)] + [m * growth**k for k in range(n - m)]


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    n = num_buckets >> int(bidirectional)
    edges = torch.tensor(_edges(n, max_distance), dtype=torch.float64, device=relative_position.device)
    edges[n // 2] = n // 2
    back = (-relative_position).clamp(min=0).double()
    number = torch.bucketize(back, edges, right=True) - 1
    if bidirectional:
        front = relative_position.clamp(min=0).double()
        ahead = torch.bucketize(front, edges, right=True) - 1 + n
        number = torch.where(relative_position > 0, ahead, number)
    return number


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    diagonals = torch.arange(-(key_length - 1), key_length, device=table.device)
    line = table.index_select(0, bucket(diagonals, bidirectional, table.shape[0], max_distance)).T
    rows = []
    for position in range(key_length - query_length, key_length):
        begin = key_length - 1 - position
        rows.append(line[:, begin : begin + key_length])
    return torch.stack(rows, dim=1)


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    b = bias(table, query.shape[2], key.shape[2], bidirectional, max_distance)
    if not bidirectional:
        b = b + torch.full(b.shape[1:], -math.inf, device=b.device, dtype=b.dtype).triu(b.shape[2] - b.shape[1] + 1)
    s = torch.baddbmm(
        b.repeat(query.shape[0], 1, 1), query.flatten(0, 1), key.flatten(0, 1).transpose(1, 2)
    )
    e = torch.exp(s - s.max(-1, keepdim=True).values)
    out = torch.bmm(e / e.sum(-1, keepdim=True), value.flatten(0, 1))
    return out.unflatten(0, query.shape[:2])
