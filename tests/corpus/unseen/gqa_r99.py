from __future__ import annotations

import math
from typing import Final, List, Optional

import torch
from torch import Tensor, nn


class HeadConfiguration:
    """Immutable value object which knows all widths."""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        if hidden_dim % num_heads != 0:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        if num_heads % num_kv_heads != 0:
            raise ValueError("num_heads must be a multiple of num_kv_heads")
        self._hidden_dim: Final[int] = hidden_dim
        self._num_heads: Final[int] = num_heads
        self._num_groups: Final[int] = num_kv_heads

    @property
    def hidden_dim(self) -> int:
        return self._hidden_dim

    @property
    def num_groups(self) -> int:
        return self._num_groups

    @property
    def heads_per_group(self) -> int:
        return self._num_heads // self._num_groups

    @property
    def head_dim(self) -> int:
        return self._hidden_dim // self._num_heads


class AttentionGroup(nn.Module):
    """One key head, one value head and all query heads that read them."""

    def __init__(self, configuration: HeadConfiguration) -> None:
        super().__init__()
        self._configuration = configuration
        width = configuration.head_dim * (configuration.heads_per_group + 2)
        self.projection = nn.Linear(configuration.hidden_dim, width)

    def forward(self, hidden_states: Tensor, visibility: Optional[Tensor]) -> Tensor:
        config = self._configuration
        batch, length, _ = hidden_states.shape
        sizes = [config.heads_per_group * config.head_dim, config.head_dim, config.head_dim]
        query, key, value = self.projection(hidden_states).split(sizes, dim=-1)
        query = query.view(batch, length, config.heads_per_group, config.head_dim).transpose(1, 2)
        scores = torch.matmul(query, key.unsqueeze(1).transpose(2, 3)) / math.sqrt(config.head_dim)
        if visibility is not None:
            scores = scores.masked_fill(visibility.logical_not(), float("-inf"))
        context = torch.matmul(torch.softmax(scores, dim=-1), value.unsqueeze(1))
        return context.transpose(1, 2).reshape(batch, length, -1)


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self._configuration = HeadConfiguration(hidden_dim, num_heads, num_kv_heads)
        self.groups = nn.ModuleList(
            AttentionGroup(self._configuration) for _ in range(num_kv_heads)
        )
        self.output_projection = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Optional[Tensor] = None) -> Tensor:
        contexts: List[Tensor] = []
        for index, group in enumerate(self.groups):
            contexts.append(group(x, self._visibility_of(attention_mask, index)))
        return self.output_projection(torch.cat(contexts, dim=-1))

    def _visibility_of(self, attention_mask: Optional[Tensor], index: int) -> Optional[Tensor]:
        if attention_mask is None or attention_mask.size(1) == 1:
            return attention_mask
        count = self._configuration.heads_per_group
        return attention_mask.narrow(1, index * count, count)
