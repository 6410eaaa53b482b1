from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

SEGMENT = 64


@dataclass(frozen=True)
class Memory:
    """The newest keys and values in front of the current segment."""

    k: Tensor
    v: Tensor

    def push(self, k: Tensor, v: Tensor, keep: int) -> tuple[Tensor, Tensor, Memory]:
        k, v = torch.cat([self.k, k], 2), torch.cat([self.v, v], 2)
        start = max(0, k.shape[2] - keep)
        return k, v, Memory(k[:, :, start:].detach(), v[:, :, start:].detach())


def _segment(q: Tensor, k: Tensor, v: Tensor, window: int) -> Tensor:
    n, m = q.shape[2], k.shape[2]
    gap = torch.arange(m - n, m, device=q.device)[:, None] - torch.arange(m, device=q.device)
    s = torch.einsum("bhid,bhjd->bhij", q, k) * q.shape[-1] ** -0.5
    s = s.masked_fill((gap < 0) | (gap >= window), -torch.inf)
    return torch.einsum("bhij,bhjd->bhid", s.softmax(-1), v)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    """Segment recurrence: scores are SEGMENT x (window - 1 + SEGMENT) at a time."""
    memory = Memory(key[:, :, :0], value[:, :, :0])
    out = []
    for q, k, v in zip(*(t.split(SEGMENT, dim=2) for t in (query, key, value))):
        k, v, memory = memory.push(k, v, keep=window - 1)
        out.append(_segment(q, k, v, window))
    return torch.cat(out, dim=2)
