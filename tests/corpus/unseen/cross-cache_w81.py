import math
from dataclasses import dataclass
from typing import Any, Optional

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class Memory:
    key: Tensor
    value: Tensor
    hidden: Optional[Tensor]      # None where nothing is padding


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    @staticmethod
    def _hidden(lengths: Tensor, width: int) -> Optional[Tensor]:
        hidden = torch.arange(width, device=lengths.device) >= lengths.unsqueeze(1)
        return hidden[:, None, None, :] if bool(hidden.any()) else None

    def forward(self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        if cache is None:
            key, value = self._split(self.k_proj(memory)), self._split(self.v_proj(memory))
            cache = Memory(key, value, self._hidden(memory_lengths, memory.size(1)))
        hidden = cache.hidden
        if hidden is None:
            hidden = self._hidden(memory_lengths, cache.key.size(2))
        scores = self._split(self.q_proj(x)) @ cache.key.mT / math.sqrt(self.head_dim)
        if hidden is not None:
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        context = scores.softmax(dim=-1) @ cache.value
        return self.o_proj(context.transpose(1, 2).flatten(2)), cache
