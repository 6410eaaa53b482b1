# attn-kata: mha
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """多头自注意力

    注意力图 (B, h, T, T) 可以看成 h 个通道的 T×T 图像。
    """

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.attn_drop = nn.Dropout2d(dropout)

    def split(self, t: Tensor) -> Tensor:
        return t.unflatten(-1, (self.h, self.d)).transpose(1, 2)      # (B, h, T, d)

    def merge(self, t: Tensor) -> Tensor:
        return t.transpose(1, 2).flatten(-2)                          # (B, T, h*d)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        q, k, v = map(self.split, self.qkv(x).chunk(3, dim=-1))
        attn_map = q @ k.transpose(-2, -1) / math.sqrt(self.d)        # (B, h, T, T)
        if attention_mask is not None:
            # 0 的位置填一个很小的数
            attn_map = attn_map.masked_fill(attention_mask == 0, torch.finfo(attn_map.dtype).min)
        attn_map = self.attn_drop(attn_map.softmax(dim=-1))
        return self.proj(self.merge(attn_map @ v))
