from __future__ import annotations

import math
from dataclasses import dataclass, replace

import torch
from torch import Tensor


@dataclass(frozen=True)
class Buckets:
    n: int = 32
    far: int = 128
    both: bool = True

    @property
    def side(self) -> int:
        """How many buckets one direction has."""
        return self.n // 2 if self.both else self.n

    @property
    def exact(self) -> int:
        return self.side // 2

    def wide(self, d: int) -> int:
        m = self.exact
        step = math.log(d / m) / math.log(self.far / m) * (self.side - m)
        return min(m + int(step), self.side - 1)

    def ladder(self, longest: int) -> list[int]:
        """The bucket of every distance from 0 to longest."""
        return [d if d < self.exact else self.wide(d) for d in range(longest + 1)]

    def __call__(self, rel: Tensor) -> Tensor:
        behind = rel.clamp(max=0).neg()
        distance = rel.abs() if self.both else behind
        top = int(distance.max()) if distance.numel() else 0
        top = min(top, self.far)  # all beyond share the last
        rung = torch.tensor(self.ladder(top), device=rel.device)
        number = rung[distance.long().clamp(max=top)]
        return number + (rel > 0).long() * self.side if self.both else number


T5 = Buckets()


def bucket(
    relative_position: Tensor,
    bidirectional: bool = T5.both,
    num_buckets: int = T5.n,
    max_distance: int = T5.far,
) -> Tensor:
    return Buckets(num_buckets, max_distance, bidirectional)(relative_position)


def _relative(query_length: int, key_length: int, device) -> Tensor:
    q = torch.arange(key_length - query_length, key_length, device=device)
    k = torch.arange(key_length, device=device)
    return k[None, :] - q[:, None]


def bias(
    table: Tensor,
    query_length: int,
    key_length: int,
    bidirectional: bool = T5.both,
    max_distance: int = T5.far,
) -> Tensor:
    buckets = replace(T5, n=table.size(0), far=max_distance, both=bidirectional)
    number = buckets(_relative(query_length, key_length, table.device))
    # per head: its column of the table, looked up
    return torch.stack([column[number] for column in table.unbind(dim=1)])


def attention(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    table: Tensor,
    bidirectional: bool = T5.both,
    max_distance: int = T5.far,
) -> Tensor:
    nq, nk = query.size(-2), key.size(-2)
    acc = torch.promote_types(query.dtype, torch.float32)
    s = query.to(acc) @ key.to(acc).mT
    s = s + bias(table, nq, nk, bidirectional, max_distance).to(acc)
    if not bidirectional:
        s = s.masked_fill(_relative(nq, nk, s.device) > 0, -torch.inf)
    return (s.softmax(-1) @ value.to(acc)).to(query.dtype)
