from __future__ import annotations

import itertools
from collections.abc import Iterator

import torch
from torch import Tensor, nn


class Group(nn.Module):
    """One key/value head and the query heads that read it."""

    def __init__(self, hidden_dim: int, head_dim: int, readers: int) -> None:
        super().__init__()
        self.queries = nn.ModuleList(nn.Linear(hidden_dim, head_dim) for _ in range(readers))
        self.key = nn.Linear(hidden_dim, head_dim)
        self.value = nn.Linear(hidden_dim, head_dim)

    def forward(self, x: Tensor, masks: Iterator[Tensor | None]) -> Iterator[Tensor]:
        key, value = self.key(x), self.value(x)
        # zip stops with the first argument, so no mask of the next group is lost
        for proj, mask in zip(self.queries, masks):
            scores = torch.baddbmm(
                torch.zeros((), dtype=key.dtype, device=key.device).expand(len(x), x.shape[1], x.shape[1]),
                proj(x), key.mT, alpha=key.shape[-1] ** -0.5,
            )
            if mask is not None:
                scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
            yield scores.softmax(-1) @ value


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.num_heads = num_heads
        self.groups = nn.ModuleList(
            Group(hidden_dim, head_dim, num_heads // num_kv_heads) for _ in range(num_kv_heads)
        )
        self.out = nn.Linear(num_heads * head_dim, hidden_dim)

    def _masks(self, mask: Tensor | None) -> Iterator[Tensor | None]:
        if mask is None:
            return itertools.repeat(None)
        return iter(mask.expand(-1, self.num_heads, -1, -1).unbind(1))

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        masks = self._masks(attention_mask)
        heads = itertools.chain.from_iterable(group(x, masks) for group in self.groups)
        return self.out(torch.cat(list(heads), dim=-1))


class MultiQueryAttention(GroupedQueryAttention):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__(hidden_dim, num_heads, num_kv_heads=1)
