from __future__ import annotations

from dataclasses import dataclass, field

import torch
from torch import Tensor, nn


@dataclass
class AttnConfig:
    width: int
    n_heads: int
    p: float = 0.1
    scale: float = field(init=False)

    def __post_init__(self) -> None:
        assert self.width % self.n_heads == 0
        self.scale = (self.width / self.n_heads) ** -0.5


@torch.no_grad()
def filter_scores(scores: Tensor, mask: Tensor) -> Tensor:
    """df.where(mask, -inf)"""
    return torch.where(mask != 0, scores, -torch.inf)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.cfg = AttnConfig(hidden_dim, num_heads, dropout)
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(p=dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        cfg = self.cfg
        table = self.qkv(x).unflatten(-1, (3, cfg.n_heads, -1))   # b n 3 h d
        q, k, v = table.movedim(1, 3).unbind(1)                    # b h n d
        scores = torch.matmul(q, k.mT) * cfg.scale
        if attention_mask is not None:
            scores = filter_scores(scores, attention_mask)
        weights = self.dropout(scores.softmax(dim=-1))
        pooled = torch.matmul(weights, v)
        return self.proj(pooled.swapaxes(1, 2).flatten(2))
