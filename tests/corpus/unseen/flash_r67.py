# attn-kata: flash
# Tiles are visited from the last to the first; rows that have seen nothing yet keep m = -inf.
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Accumulator:
    m: Tensor  # (b, h, t, 1)
    l: Tensor  # (b, h, t, 1)
    o: Tensor  # (b, h, t, d)

    @classmethod
    def zeros(cls, q: Tensor) -> "Accumulator":
        b, h, t, d = q.shape
        return cls(
            q.new_full((b, h, t, 1), float("-inf")), q.new_zeros(b, h, t, 1), q.new_zeros(b, h, t, d)
        )

    def absorb(self, s: Tensor, v: Tensor) -> None:
        m_new = torch.maximum(self.m, s.amax(dim=-1, keepdim=True))
        pivot = m_new.masked_fill(m_new == float("-inf"), 0.0)
        p = torch.exp(s - pivot)
        shrink = torch.exp(self.m - pivot)
        self.l = self.l * shrink + p.sum(dim=-1, keepdim=True)
        self.o = self.o * shrink + p @ v
        self.m = m_new

    def finish(self) -> Tensor:
        return self.o / self.l


def flash_attention(
    query: Tensor, key: Tensor, value: Tensor, block_size: int, causal: bool = False
) -> Tensor:
    wide = torch.float64 if query.dtype == torch.float64 else torch.float32
    q = query.to(wide) * query.size(-1) ** -0.5
    t = query.size(2)
    acc = Accumulator.zeros(q)
    pos = torch.arange(t, device=q.device)
    n_tiles = -(-t // block_size)
    for tile in reversed(range(n_tiles)):
        lo, hi = tile * block_size, min((tile + 1) * block_size, t)
        s = q @ key[:, :, lo:hi].to(wide).transpose(-1, -2)
        if causal:
            s = s.masked_fill(pos[lo:hi] > pos[:, None], float("-inf"))
        acc.absorb(s, value[:, :, lo:hi].to(wide))
    return acc.finish().to(query.dtype)
