from __future__ import annotations

from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class State(NamedTuple):
    kv: Tensor  # (seen, 2, batch, hidden): time first, keys and values stacked, heads not yet split
    seen: int


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError("hidden_dim % num_heads must be 0")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.project = nn.ModuleDict({n: nn.Linear(hidden_dim, hidden_dim) for n in ("query", "key", "value", "output")})

    def _remember(self, x: Tensor, cache: State | None) -> State:
        fresh = torch.stack((self.project["key"](x), self.project["value"](x))).permute(2, 0, 1, 3)
        if cache is None:
            return State(fresh, x.size(1))
        if not isinstance(cache, State):
            raise TypeError(f"expected what an earlier call returned, got {type(cache)}")
        # room for the new ones in a copy, the old tensor is not touched
        grown = F.pad(cache.kv, (0, 0, 0, 0, 0, 0, 0, x.size(1)))
        grown = torch.slice_scatter(grown, fresh, dim=0, start=cache.seen)
        return State(grown, cache.seen + x.size(1))

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, State]:
        batch, length, _ = x.shape
        state = self._remember(x, cache)
        split = lambda t: t.reshape(*t.shape[:2], self.num_heads, self.head_dim)  # noqa: E731
        k, v = (split(t) for t in state.kv.unbind(1))  # (S, B, H, d)
        q = split(self.project["query"](x))  # (B, T, H, d)
        scores = torch.einsum("bthd,sbhd->bhts", q, k).div(self.head_dim**0.5)
        visible = torch.ones(length, state.seen, dtype=torch.bool, device=x.device).tril(state.seen - length)
        weights = torch.where(visible, scores, torch.finfo(scores.dtype).min).softmax(dim=-1)
        context = torch.einsum("bhts,sbhd->bthd", weights, v).reshape(batch, length, -1)
        return self.project["output"](context), state
