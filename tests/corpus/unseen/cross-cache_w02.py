# attn-kata: cross-cache
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class CachedCrossAttention(nn.Module):
    """解码器的交叉注意力。memory 的 key / value 只算一次。"""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.w_query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_value = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_out = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.memory_kv: dict[str, Tensor] = {}

    def _split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.num_heads, self.head_dim)).transpose(1, 2)

    def _prepare(self, memory: Tensor, lengths: Tensor) -> dict[str, Tensor]:
        index = torch.arange(memory.shape[1], device=memory.device)
        return {
            "key": self._split(self.w_key(memory)),
            "value": self._split(self.w_value(memory)),
            "hidden": (index >= lengths.unsqueeze(1))[:, None, None],
        }

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        if cache is None:
            self.memory_kv = self._prepare(memory, memory_lengths)
            cache = {"ready": True}
        kv = self.memory_kv

        query = self._split(self.w_query(x))
        scores = query @ kv["key"].mT / self.head_dim ** 0.5
        weights = scores.masked_fill(kv["hidden"], float("-inf")).softmax(dim=-1)
        context = (weights @ kv["value"]).transpose(1, 2).flatten(2)
        return self.w_out(context), cache
