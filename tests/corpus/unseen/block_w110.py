from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn


@dataclass
class BlockConfig:
    width: int
    heads: int
    mlp_ratio: int = 4
    eps: float = 1e-5
    head_width: int = field(init=False)

    def __post_init__(self) -> None:
        self.head_width = self.width // self.heads


class SelfAttention(nn.Module):
    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.config = config
        self.query = nn.Linear(config.width, config.width)
        self.key = nn.Linear(config.width, config.width)
        self.value = nn.Linear(config.width, config.width)
        self.project = nn.Linear(config.width, config.width)

    def split(self, t: Tensor) -> Tensor:
        batch, length, _ = t.shape
        return t.view(batch, length, -1, self.config.width).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (self.split(layer(x)) for layer in (self.query, self.key, self.value))
        scores = query @ key.mT / self.config.head_width**0.5
        length = x.shape[1]
        later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(diagonal=1)
        weights = scores.masked_fill(later, float("-inf")).softmax(dim=-1)
        return self.project((weights @ value).transpose(1, 2).flatten(2))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        config = BlockConfig(hidden_dim, num_heads)
        self.norm_1 = nn.LayerNorm(hidden_dim, eps=config.eps)
        self.norm_2 = nn.LayerNorm(hidden_dim, eps=config.eps)
        self.attention = SelfAttention(config)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, config.mlp_ratio * hidden_dim),
            nn.GELU(),
            nn.Linear(config.mlp_ratio * hidden_dim, hidden_dim),
        )

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self.attention(self.norm_1(x))
        return attended + self.mlp(self.norm_2(attended))
