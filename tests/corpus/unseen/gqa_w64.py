# attn-kata: gqa
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    """分组查询注意力: 每 group 个相邻的 query 头共用一个 kv 头"""

    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        assert num_heads % num_kv_heads == 0
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.to_q = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.to_k = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.to_v = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.to_out = nn.Linear(num_heads * self.head_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, T, _ = x.shape
        q = self.to_q(x).view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.to_k(x).view(B, T, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.to_v(x).view(B, T, self.num_kv_heads, self.head_dim).transpose(1, 2)

        # 0 0 0 1 1 1, 不是 0 1 0 1 0 1
        k = torch.repeat_interleave(k, self.group, dim=1)
        v = torch.repeat_interleave(v, self.group, dim=1)

        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            bias = torch.zeros(attention_mask.shape, device=x.device)
            bias = bias.masked_fill(attention_mask == 0, float("-inf"))
            scores = scores + bias
        weights = torch.softmax(scores, dim=-1)

        out = weights @ v
        out = out.transpose(1, 2).contiguous().view(B, T, -1)
        return self.to_out(out)
