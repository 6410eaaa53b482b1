from __future__ import annotations

import logging
import math
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn

log = logging.getLogger("decoder.cross")


@dataclass(frozen=True)
class Memory:
    key: Tensor     # (batch, heads, memory_length, head_dim)
    value: Tensor
    hidden: Tensor  # (batch, 1, 1, memory_length), True at padding

    @classmethod
    def made_by(cls, layer: "CachedCrossAttention", memory: Tensor, lengths: Tensor) -> "Memory":
        place = torch.arange(memory.shape[1], device=memory.device)
        hidden = place >= lengths.to(memory.device)[:, None]
        key, value = map(layer.heads, layer.kv_proj(memory).chunk(2, dim=-1))
        log.debug("projected %d rows of memory", memory.shape[0] * memory.shape[1])
        return cls(key, value, hidden[:, None, None, :])

    def read(self, query: Tensor) -> Tensor:
        scores = query @ self.key.mT / math.sqrt(query.shape[-1])
        return scores.masked_fill(self.hidden, -math.inf).softmax(-1) @ self.value


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, f"{hidden_dim=} is no multiple of {num_heads=}"
        self.num_heads = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        if (known := cache) is None:
            known = Memory.made_by(self, memory, memory_lengths)
        context = known.read(self.heads(self.q_proj(x)))
        return self.out_proj(context.transpose(1, 2).flatten(2)), known
