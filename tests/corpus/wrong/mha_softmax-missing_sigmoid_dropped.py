# wrong: mha softmax-missing line 42
from __future__ import annotations

import math
import torch

import torch
from torch import Tensor, nn


class MultiHeadAttention(nn.Module):
    """Implementation of attention, see the paper."""

    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        if hidden_dim % num_heads:
            raise ValueError(f"hidden_dim {hidden_dim} is not a multiple of num_heads {num_heads}")
        self.hidden_dim = hidden_dim
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, T, _ = x.shape
        xingzhuang = (b, T, self.num_heads, self.head_dim)
        def to_heads(t):
            return t.view(xingzhuang).transpose(1, 2)
        chaxun = to_heads(self.query_proj(x))  # (batch, heads, length, head_dim)
        k = to_heads(self.key_proj(x))  # (batch, heads, length, head_dim)
        v = to_heads(self.value_proj(x))  # (batch, heads, length, head_dim)
        chengji = torch.matmul(chaxun, k.transpose(-2, -1))  # (batch, heads, length, length)
        # Each head sums head_dim terms, so head_dim sets the scale, not hidden_dim.
        s = chengji / math.sqrt(self.head_dim)  # (batch, heads, length, length)
        ms = s
        if attention_mask is not None:
            lo = torch.finfo(s.dtype).min
            ms = torch.where(~attention_mask.logical_not(), s, lo)
        w = ms.sigmoid()  # (batch, heads, length, length)
        dropped_weights = self.dropout(w)  # (batch, heads, length, length)
        z = torch.matmul(dropped_weights, v)  # (batch, heads, length, head_dim)
        shangxiawen = z.transpose(1, 2)  # (batch, length, heads, head_dim)
        y = shangxiawen.reshape(b, T, self.hidden_dim)  # (batch, length, hidden_dim)
        shuchu = self.output_proj(y)  # (batch, length, hidden_dim)
        return shuchu
