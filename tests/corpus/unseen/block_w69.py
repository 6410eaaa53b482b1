from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Callable

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class BlockConfig:
    hidden_dim: int
    num_heads: int
    expansion: int = 4
    norm_eps: float = 1e-5
    norm_factory: Callable[..., nn.Module] = nn.LayerNorm

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads

    def build_norm(self) -> nn.Module:
        return self.norm_factory(self.hidden_dim, eps=self.norm_eps)


class CausalAttention(nn.Module):
    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.config = config
        self.query_key_value = nn.Linear(config.hidden_dim, 3 * config.hidden_dim)
        self.output = nn.Linear(config.hidden_dim, config.hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        heads = (3, self.config.num_heads, self.config.head_dim)
        q, k, v = self.query_key_value(x).unflatten(-1, heads).permute(2, 0, 3, 1, 4)
        scores = q @ k.mT / math.sqrt(self.config.head_dim)
        visible = torch.ones_like(scores[0, 0], dtype=torch.bool).tril()
        weights = scores.masked_fill(~visible, float("-inf")).softmax(-1)
        return self.output((weights @ v).transpose(1, 2).flatten(2))


class FeedForward(nn.Module):
    def __init__(self, config: BlockConfig) -> None:
        super().__init__()
        self.up = nn.Linear(config.hidden_dim, config.expansion * config.hidden_dim)
        self.down = nn.Linear(config.expansion * config.hidden_dim, config.hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(nn.functional.gelu(self.up(x)))


class PreNormResidual(nn.Module):
    def __init__(self, norm: nn.Module, sublayer: nn.Module) -> None:
        super().__init__()
        self.norm, self.sublayer = norm, sublayer

    def forward(self, x: Tensor) -> Tensor:
        return x + self.sublayer(self.norm(x))


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        config = BlockConfig(hidden_dim, num_heads)
        if hidden_dim % num_heads:
            raise ValueError("hidden_dim must be divisible by num_heads")
        norm = config.build_norm()
        sublayers = (CausalAttention(config), FeedForward(config))
        self.stages = nn.Sequential(*(PreNormResidual(norm, layer) for layer in sublayers))

    def forward(self, x: Tensor) -> Tensor:
        return self.stages(x)
