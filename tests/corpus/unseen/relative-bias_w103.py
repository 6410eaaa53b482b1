from __future__ import annotations

import math
from typing import NamedTuple

import torch
from torch import Tensor


class Scheme(NamedTuple):
    per_direction: int
    exact: int
    span: float

    @classmethod
    def of(cls, buckets: int, both: bool, reach: int) -> Scheme:
        n = buckets // 2 if both else buckets
        return cls(n, n // 2, math.log(reach / (n // 2)))

    def number(self, distance: Tensor) -> Tensor:
        ratio = distance.clamp(min=self.exact).to(torch.float64) / self.exact
        step = torch.floor(ratio.log() / self.span * (self.per_direction - self.exact)).long()
        far = torch.clamp(step + self.exact, max=self.per_direction - 1)
        return torch.where(distance < self.exact, distance, far)


def bucket(
    relative_position: Tensor,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> Tensor:
    scheme = Scheme.of(num_buckets, bidirectional, max_distance)
    if not bidirectional:
        return scheme.number(relative_position.neg().relu())
    ahead = relative_position.gt(0)
    return scheme.number(relative_position.abs()) + ahead * scheme.per_direction


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    j = torch.arange(key_length, device=table.device)
    i = j[key_length - query_length :]
    index = bucket(j - i.unsqueeze(1), bidirectional, max_distance=max_distance)
    return torch.einsum("ijh->hij", torch.nn.functional.embedding(index, table))


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> Tensor:
    b = bias(table, query.size(2), key.size(2), bidirectional, max_distance)
    s = torch.einsum("bhic,bhjc->bhij", query, key) + b
    if not bidirectional:
        n_q, n_k = b.shape[1:]
        seen = torch.ones(n_q, n_k, dtype=torch.bool, device=s.device).tril(n_k - n_q)
        s = torch.where(seen, s, -torch.inf)
    return torch.einsum("bhij,bhje->bhie", s.softmax(dim=-1), value)
