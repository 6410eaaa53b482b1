from __future__ import annotations
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class HeadGeometry:
    hidden_dim: int
    num_heads: int

    def __post_init__(self):
        self.head_dim, rest = divmod(self.hidden_dim, self.num_heads)
        if rest:
            raise ValueError("hidden_dim has to be a multiple of num_heads")
        self.scale = self.hidden_dim ** -0.5


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.geo = HeadGeometry(hidden_dim, num_heads)
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        n_heads = self.geo.num_heads
        # (B, T, H, d), heads stay where they are; einsum does the rest
        q = self.wq(x).unflatten(-1, (n_heads, -1))
        k = self.wk(x).unflatten(-1, (n_heads, -1))
        v = self.wv(x).unflatten(-1, (n_heads, -1))
        logits = torch.einsum("bihd,bjhd->bhij", q, k) * self.geo.scale
        if attention_mask is not None:
            logits = logits.masked_fill(attention_mask.logical_not(), float("-inf"))
        p = self.drop(logits.softmax(dim=-1))
        y = torch.einsum("bhij,bjhd->bihd", p, v)
        return self.wo(y.flatten(2))
