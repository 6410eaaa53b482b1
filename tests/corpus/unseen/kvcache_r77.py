from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Cell:
    """A list as Lisp has it: the newest chunk, and all that came before it."""

    key: Tensor
    value: Tensor
    before: Cell | None
    length: int

    def chunks(self):
        here: Cell | None = self
        while here is not None:
            yield here
            here = here.before

    def whole(self) -> tuple[Tensor, Tensor]:
        oldest_first = list(self.chunks())[::-1]
        return (
            torch.cat([c.key for c in oldest_first], 2),
            torch.cat([c.value for c in oldest_first], 2),
        )


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads
        mk = lambda *s: nn.Parameter(torch.randn(*s) / math.sqrt(hidden_dim))  # noqa: E731
        self.wq, self.wk, self.wv = (mk(num_heads, hidden_dim, d) for _ in range(3))
        self.wo = mk(num_heads, d, hidden_dim)

    def forward(self, x: Tensor, cache: Cell | None = None) -> tuple[Tensor, Cell]:
        per_head = x.unsqueeze(1)                                  # (B, 1, T, C)
        past = 0 if cache is None else cache.length
        cell = Cell(per_head @ self.wk, per_head @ self.wv, cache, past + x.size(1))
        k, v = cell.whole()
        q = per_head @ self.wq
        s = q @ k.transpose(-1, -2) / math.sqrt(q.size(-1))
        row = torch.arange(past, cell.length, device=x.device)
        col = torch.arange(cell.length, device=x.device)
        s = s.masked_fill(row[:, None] < col[None, :], -math.inf)
        return (s.softmax(-1) @ v @ self.wo).sum(1), cell
