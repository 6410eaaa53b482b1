from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, 2 * hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def _encode_memory(self, memory: Tensor, memory_lengths: Tensor) -> dict[str, Tensor | None]:
        b, s, _ = memory.shape
        k, v = self.kv_proj(memory).view(b, s, 2, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        hidden = None
        if int(memory_lengths.max()) < s:
            places = torch.arange(s, device=memory.device)
            hidden = (places >= memory_lengths[:, None])[:, None, None]
        return {"k": k, "v": v, "hidden": hidden}

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Any = None
    ) -> tuple[Tensor, Any]:
        if cache is None:
            cache = self._encode_memory(memory, memory_lengths)
        b, t, _ = x.shape
        q = self.q_proj(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        scores = q @ cache["k"].mT / math.sqrt(self.head_dim)
        if cache["hidden"] is not None:
            scores = scores.masked_fill(cache["hidden"], float("-inf"))
        context = scores.softmax(-1) @ cache["v"]
        return self.o_proj(context.transpose(1, 2).reshape(b, t, -1)), cache
