# attn-kata: cross
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class CrossConfig:
    width: int
    heads: int
    attn_pdrop: float

    @property
    def head_dim(self) -> int:
        return self.width // self.heads


def eager_attention(q: Tensor, k: Tensor, v: Tensor, visible: Tensor | None, drop: nn.Module) -> Tensor:
    scores = torch.einsum("bqhd,bkhd->bhqk", q, k) / q.shape[-1] ** 0.5
    if visible is not None:
        scores = torch.where(visible, scores, torch.full_like(scores, -torch.inf))
    return torch.einsum("bhqk,bkhd->bqhd", drop(scores.softmax(dim=-1)), v)


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.config = CrossConfig(hidden_dim, num_heads, dropout)
        self.w = nn.ParameterDict(
            {name: nn.Parameter(nn.init.xavier_normal_(torch.empty(hidden_dim, hidden_dim))) for name in "qkvo"}
        )
        self.drop = nn.Dropout(self.config.attn_pdrop)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        shape = (self.config.heads, self.config.head_dim)
        q = (query @ self.w["q"]).unflatten(-1, shape)
        k = (key @ self.w["k"]).unflatten(-1, shape)
        v = (value @ self.w["v"]).unflatten(-1, shape)
        visible = None if mask is None else mask.bool()[:, None]
        return eager_attention(q, k, v, visible, self.drop).flatten(-2) @ self.w["o"]
