from __future__ import annotations

import torch
from einops import rearrange
from einops.layers.torch import Rearrange
from torch import Tensor, nn


def exists(v):
    return v is not None


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.h = num_heads
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.to_heads = Rearrange("b n (r h d) -> r (b h) n d", r=3, h=num_heads)
        self.merge = Rearrange("(b h) n d -> b n (h d)", h=num_heads)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = self.to_heads(self.qkv(x))
        dots = torch.bmm(q, k.mT) / q.shape[-1] ** 0.5
        if exists(attention_mask):
            b, n = x.shape[0], x.shape[1]
            full = attention_mask.bool().expand(b, self.h, n, n)
            dots = dots.masked_fill(~rearrange(full, "b h i j -> (b h) i j"), -torch.finfo(dots.dtype).max)
        dots = dots - dots.amax(dim=-1, keepdim=True)
        attn = self.dropout(dots.softmax(dim=-1))
        return self.out(self.merge(attn @ v))
