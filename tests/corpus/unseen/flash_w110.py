from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

ROWS = 64


@dataclass
class Block:
    """Some queries, against one tile of keys at a time."""

    q: Tensor
    first: int
    causal: bool

    def __post_init__(self) -> None:
        lead = self.q.shape[:-1] + (1,)
        self.m = torch.full(lead, torch.finfo(self.q.dtype).min, dtype=self.q.dtype, device=self.q.device)
        self.l = torch.zeros_like(self.m)
        self.acc = torch.zeros_like(self.q)

    def hidden(self, lo: int, hi: int) -> Tensor:
        rows = torch.arange(self.q.shape[-2], device=self.q.device)
        cols = torch.arange(lo, hi, device=self.q.device)
        return cols[None, :] > rows[:, None]

    def update(self, k: Tensor, v: Tensor, lo: int) -> None:
        s = torch.einsum("bhqd,bhkd->bhqk", self.q, k) / math.sqrt(k.shape[-1])
        if self.causal:
            s = s.masked_fill(self.hidden(lo, lo + k.shape[-2]), -math.inf)
        m = torch.maximum(self.m, s.amax(-1, keepdim=True))
        old = torch.exp(self.m - m)
        p = torch.exp(s - m)
        self.l = self.l * old + p.sum(-1, keepdim=True)
        self.acc = self.acc * old + torch.einsum("bhqk,bhkd->bhqd", p, v)
        self.m = m


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    done = []
    for i, q in enumerate(query.split(ROWS, dim=2)):
        block = Block(q, i * ROWS, causal)
        for j, (k, v) in enumerate(zip(key.split(block_size, 2), value.split(block_size, 2))):
            block.update(k, v, j * block_size)
        done.append(block.acc / block.l)
    return torch.cat(done, dim=2)
