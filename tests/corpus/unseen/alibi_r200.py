# attn-kata: alibi
from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import islice
from typing import Iterator

import torch
from torch import Tensor


def geometric(heads: int) -> Iterator[float]:
    """The slopes of a power of two: heads numbers, each 2^(-8/heads) times the one before."""
    return (2.0 ** (-8.0 * rank / heads) for rank in range(1, heads + 1))


@lru_cache(maxsize=None)
def slope_table(heads: int) -> tuple[float, ...]:
    floor = 1 << (heads.bit_length() - 1)
    missing = heads - floor
    every_other = islice(geometric(2 * floor), 0, 2 * missing, 2)
    return (*geometric(floor), *every_other)


@dataclass(frozen=True)
class AlibiGeometry:
    """Who stands where: the queries are the last of the keys' positions."""

    heads: int
    query_length: int
    key_length: int
    dtype: torch.dtype = torch.float32
    device: torch.device = torch.device("cpu")

    @cached_property
    def lag(self) -> Tensor:
        """How far a key lies behind a query, in whole numbers; below 0 for later keys."""
        key_at = torch.arange(self.key_length, device=self.device)
        query_at = key_at[self.key_length - self.query_length :]
        return query_at.unsqueeze(1) - key_at

    @cached_property
    def slopes(self) -> Tensor:
        return torch.tensor(slope_table(self.heads), dtype=self.dtype, device=self.device)

    @cached_property
    def bias(self) -> Tensor:
        ramp = self.slopes.neg()[:, None, None] * self.lag.to(self.dtype)
        return torch.where(self.lag.lt(0), -torch.inf, ramp)


def slopes(heads: int) -> Tensor:
    return AlibiGeometry(heads, 0, 0).slopes


def bias(heads: int, query_length: int, key_length: int) -> Tensor:
    return AlibiGeometry(heads, query_length, key_length).bias


def attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    geometry = AlibiGeometry(query.size(1), query.size(2), key.size(2), wide, query.device)
    scores = torch.matmul(query.to(wide), key.to(wide).mT).div(math.sqrt(query.size(-1)))
    weights = scores.add(geometry.bias).softmax(dim=-1)
    return torch.matmul(weights, value.to(wide)).to(query.dtype)
