from __future__ import annotations

import dataclasses
import functools
import math

import torch
from torch import Tensor, nn


@dataclasses.dataclass(frozen=True)
class AttentionConfig:
    hidden_dim: int
    num_heads: int
    dropout: float = 0.1
    bias: bool = True

    def __post_init__(self) -> None:
        assert self.hidden_dim % self.num_heads == 0, "hidden_dim must be divisible by num_heads"

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads


def remembers_config(init):
    @functools.wraps(init)
    def wrapped(self, *args, **kwargs):
        config = AttentionConfig(*args, **kwargs)
        init(self, **dataclasses.asdict(config))
        self.config = config

    return wrapped


class MultiHeadAttention(nn.Module):
    config: AttentionConfig

    @remembers_config
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1, bias: bool = True):
        super().__init__()
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=bias)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=bias)
        self.attn_dropout = nn.Dropout(dropout)

    @classmethod
    def from_config(cls, config: AttentionConfig) -> "MultiHeadAttention":
        return cls(**dataclasses.asdict(config))

    def _heads(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.config.num_heads, self.config.head_dim)).transpose(1, 2)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = map(self._heads, self.qkv(x).split(self.config.hidden_dim, dim=-1))
        scores = (q @ k.mT) / math.sqrt(self.config.head_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        context = self.attn_dropout(scores.softmax(-1)) @ v
        return self.proj(context.transpose(1, 2).flatten(2))
