from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from typing import Iterator

import torch
from torch import Tensor


@dataclass
class Partial:
    """Attention over some of the keys: its output, and the log-sum-exp of its scores."""

    out: Tensor      # b h n d
    lse: Tensor      # b h n 1

    def __or__(self, other: Partial) -> Partial:
        lse = torch.logaddexp(self.lse, other.lse)
        mine, theirs = torch.exp(self.lse - lse), torch.exp(other.lse - lse)
        return Partial(self.out * mine + other.out * theirs, lse)


def tiles(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool) -> Iterator[Partial]:
    n = query.size(2)
    row = torch.arange(n, device=query.device).unsqueeze(1)
    start = 0
    for k, v in zip(key.split(block_size, dim=2), value.split(block_size, dim=2)):
        s = query @ k.mT
        if causal:
            column = torch.arange(start, start + k.size(2), device=query.device)
            # a low finite number: rows that see none of this tile get a share of about exp(lowest) = 0
            s = s.masked_fill(column > row, torch.finfo(s.dtype).min / 4)
        lse = s.logsumexp(-1, keepdim=True)
        yield Partial(torch.exp(s - lse) @ v, lse)
        start += k.size(2)


def flash_attention(query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False) -> Tensor:
    dtype = torch.float64 if query.dtype == torch.float64 else torch.float32
    scaled = query.to(dtype) * query.size(-1) ** -0.5
    whole = reduce(Partial.__or__, tiles(scaled, key.to(dtype), value.to(dtype), block_size, causal))
    return whole.out.to(query.dtype)
