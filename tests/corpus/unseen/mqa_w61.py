# attn-kata: mqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    """多查询注意力: 所有 query 头共用一个 key 头和一个 value 头

    key 只有一个头, 所以可以把 query 的头和位置折叠成一个轴, 用一次 bmm 算完。
    """

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, 2 * self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, T, D = x.shape
        q = self.q_proj(x).reshape(B, T * self.num_heads, self.head_dim)
        k, v = self.kv_proj(x).chunk(2, dim=-1)                      # (B, T, head_dim)

        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            scores = scores.view(B, self.num_heads, T, T)
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
            scores = scores.view(B, T * self.num_heads, T)
        weights = torch.softmax(scores, dim=-1)

        context = torch.bmm(weights, v).view(B, T, D)                # 头已经并排
        return self.o_proj(context)
