from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Optional

import torch
import torch.nn.functional as F
from torch import Tensor, nn


@dataclass(frozen=True)
class Memory:
    """One tensor: [key | penalty | value] of each position, (batch, heads, memory_length, 2 * d + 1).

    The penalty is 0 at real positions and very low at padding. Queries have a 1 at its place, so that
    the product hides what is padding: the mask travels inside of the keys.
    """

    packed: Tensor
    d: int

    @property
    def keys(self) -> Tensor:
        return self.packed[..., : self.d + 1]

    @property
    def values(self) -> Tensor:
        return self.packed[..., self.d + 1 :]


class PerHead(nn.Module):
    """a stack of small matrices, (heads, in, out)"""

    def __init__(self, heads: int, n_in: int, n_out: int) -> None:
        super().__init__()
        self.w = nn.Parameter(torch.empty(heads, n_in, n_out).uniform_(-1, 1) * n_in**-0.5)
        self.b = nn.Parameter(torch.zeros(heads, 1, n_out))

    def forward(self, x: Tensor) -> Tensor:
        return torch.matmul(x.unsqueeze(1), self.w) + self.b


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        d = hidden_dim // num_heads
        self.d = d
        self.ask, self.name, self.say = (PerHead(num_heads, hidden_dim, d) for _ in range(3))
        self.out = nn.Parameter(torch.randn(num_heads, d, hidden_dim) * hidden_dim**-0.5)

    def _build(self, memory: Tensor, lengths: Tensor) -> Memory:
        k, v = self.name(memory), self.say(memory)
        beyond = torch.arange(memory.shape[1], device=memory.device).ge(lengths.to(memory.device).unsqueeze(-1))
        low = torch.zeros_like(k[..., :1]).masked_fill(beyond[:, None, :, None], torch.finfo(k.dtype).min)
        return Memory(torch.cat([k, low, v], dim=-1), self.d)

    def forward(
        self, x: Tensor, memory: Optional[Tensor], memory_lengths: Optional[Tensor], cache: Any = None
    ) -> tuple[Tensor, Memory]:
        if cache is None:
            cache = self._build(memory, memory_lengths)
        q = F.pad(self.ask(x) * self.d**-0.5, (0, 1), value=1.0)
        w = torch.softmax(q @ cache.keys.transpose(-1, -2), dim=-1)
        return torch.einsum("nhts,nhsd,hde->nte", w, cache.values, self.out), cache
