from typing import Any, NamedTuple, Optional, Tuple

import torch
from torch import Tensor, nn


class MemoryKV(NamedTuple):
    key: Tensor
    value: Tensor


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.n_heads = num_heads
        self.d_head = hidden_dim // num_heads
        self.W_Q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_K = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_V = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_O = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(2, (self.n_heads, self.d_head)).permute(0, 2, 1, 3)

    def forward(
        self, x: Tensor, memory: Tensor, memory_lengths: Tensor, cache: Optional[Any] = None
    ) -> Tuple[Tensor, Any]:
        if cache is None:
            cache = MemoryKV(self._heads(self.W_K(memory)), self._heads(self.W_V(memory)))
        q = self._heads(self.W_Q(x))
        scores = q @ cache.key.transpose(-1, -2) / self.d_head ** 0.5

        positions = torch.arange(cache.key.shape[2], device=x.device)
        is_pad = positions[None, :] >= memory_lengths.to(x.device)[:, None]
        scores = scores.masked_fill(is_pad[:, None, None, :], torch.finfo(scores.dtype).min)

        ctx = scores.softmax(dim=-1) @ cache.value
        out = self.W_O(ctx.permute(0, 2, 1, 3).flatten(2))
        return out, cache
