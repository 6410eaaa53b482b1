from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads != 0:
            raise ValueError(f"{hidden_dim=} is not a multiple of {num_heads=}")
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3, bias=False)
        self.proj = nn.Linear(hidden_dim, hidden_dim)
        self.p_drop = dropout

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, N, C = x.shape
        qkv = self.qkv(x).reshape(B, N, 3, self.num_heads, self.head_dim).permute(2, 0, 3, 1, 4)
        # scale before the matmul on both sides: smaller numbers, safer in half precision
        qk = qkv[:2] * self.head_dim**-0.5
        attn = qk[0] @ qk[1].mT
        if attention_mask is not None:
            attn = attn.masked_fill(attention_mask.logical_not(), torch.finfo(attn.dtype).min)
        attn = F.dropout(attn.softmax(dim=-1), self.p_drop, self.training)
        x = (attn @ qkv[2]).transpose(1, 2).reshape(B, N, C)
        return self.proj(x)
