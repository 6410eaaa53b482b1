from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class GQAConfig:
    hidden_dim: int
    num_heads: int
    num_kv_heads: int

    def __post_init__(self) -> None:
        for big, small in ((self.hidden_dim, self.num_heads), (self.num_heads, self.num_kv_heads)):
            if big % small:
                raise ValueError(f"{big} is not a multiple of {small}")

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads

    @property
    def group_size(self) -> int:
        return self.num_heads // self.num_kv_heads


class KeyValueGroup(nn.Module):
    """One key/value head together with the neighbouring query heads that read it."""

    def __init__(self, config: GQAConfig) -> None:
        super().__init__()
        self.config = config
        self.query = nn.Linear(config.hidden_dim, config.group_size * config.head_dim)
        self.key_value = nn.Linear(config.hidden_dim, 2 * config.head_dim)

    def forward(self, x: Tensor, allowed: Tensor | None) -> Tensor:
        batch, length, _ = x.shape
        query = self.query(x).view(batch, length * self.config.group_size, self.config.head_dim)
        key, value = self.key_value(x).chunk(2, dim=-1)
        # (batch, length * group, length): all query heads of the group in a single matmul
        scores = torch.bmm(query, key.transpose(1, 2)) * self.config.head_dim**-0.5
        if allowed is not None:
            rows = allowed.transpose(1, 2).reshape(scores.shape)
            scores = scores.masked_fill(~rows, torch.finfo(scores.dtype).min)
        return torch.bmm(scores.softmax(-1), value).view(batch, length, -1)


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.config = GQAConfig(hidden_dim, num_heads, num_kv_heads)
        self.groups = nn.ModuleList(KeyValueGroup(self.config) for _ in range(num_kv_heads))
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        batch, length, _ = x.shape
        per_group: tuple[Tensor | None, ...] = (None,) * self.config.num_kv_heads
        if attention_mask is not None:
            full = (batch, self.config.num_heads, length, length)
            per_group = (attention_mask != 0).expand(full).split(self.config.group_size, dim=1)
        outputs = [group(x, allowed) for group, allowed in zip(self.groups, per_group)]
        return self.output(torch.cat(outputs, dim=-1))
