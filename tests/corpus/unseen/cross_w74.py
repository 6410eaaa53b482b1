from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class CrossAttentionConfig:
    hidden_dim: int
    num_heads: int
    dropout: float = 0.1
    bias: bool = True

    @property
    def head_dim(self) -> int:
        head_dim, rest = divmod(self.hidden_dim, self.num_heads)
        if rest:
            raise ValueError("hidden_dim must be a multiple of num_heads")
        return head_dim


class HeadFolder:
    """Folds heads into the batch axis so that everything downstream is a plain bmm."""

    def __init__(self, config: CrossAttentionConfig) -> None:
        self.heads, self.head_dim = config.num_heads, config.head_dim

    def fold(self, t: Tensor) -> Tensor:
        batch, length, _ = t.shape
        t = t.view(batch, length, self.heads, self.head_dim).transpose(1, 2)
        return t.reshape(batch * self.heads, length, self.head_dim)

    def fold_mask(self, mask: Tensor) -> Tensor:
        return mask.repeat(self.heads, 1, 1)

    def unfold(self, t: Tensor) -> Tensor:
        folded, length, _ = t.shape
        t = t.view(folded // self.heads, self.heads, length, self.head_dim)
        return t.transpose(1, 2).reshape(-1, length, self.heads * self.head_dim)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.config = config = CrossAttentionConfig(hidden_dim, num_heads, dropout)
        self.folder = HeadFolder(config)
        self.query_proj = nn.Linear(hidden_dim, hidden_dim, bias=config.bias)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim, bias=config.bias)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim, bias=config.bias)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=config.bias)
        self.attn_dropout = nn.Dropout(config.dropout)

    def forward(
        self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None
    ) -> Tensor:
        q = self.folder.fold(self.query_proj(query))
        k = self.folder.fold(self.key_proj(key))
        v = self.folder.fold(self.value_proj(value))
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.config.head_dim)
        if mask is not None:
            blocked = self.folder.fold_mask(mask) == 0
            scores = scores.masked_fill(blocked, torch.finfo(scores.dtype).min)
        weights = self.attn_dropout(scores.softmax(dim=-1))
        return self.out_proj(self.folder.unfold(torch.bmm(weights, v)))
