from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.num_groups = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, t, _ = x.shape
        # (b, kv, group, t, d) against (b, kv, 1, t, d)
        q = self.q_proj(x).view(b, t, self.num_kv_heads, self.num_groups, self.head_dim).permute(0, 2, 3, 1, 4)
        k = self.k_proj(x).view(b, t, self.num_kv_heads, 1, self.head_dim).permute(0, 2, 3, 1, 4)
        v = self.v_proj(x).view(b, t, self.num_kv_heads, 1, self.head_dim).permute(0, 2, 3, 1, 4)

        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)
        if attention_mask is not None:
            # scores are (b, kv, group, t, t)
            allowed = attention_mask[:, :1].unsqueeze(2) != 0
            scores = scores.masked_fill(~allowed, torch.finfo(scores.dtype).min)
        context = scores.softmax(dim=-1) @ v
        context = context.permute(0, 3, 1, 2, 4).reshape(b, t, self.num_heads * self.head_dim)
        return self.o_proj(context)
