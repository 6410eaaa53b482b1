from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.num_kv_heads = num_kv_heads
        self.group = num_heads // num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, n, _ = x.shape
        # q (b, kv, group, n, d); k and v (b, kv, 1, n, d): nothing is copied
        q = self.q_proj(x).view(b, n, self.num_kv_heads, self.group, self.head_dim).permute(0, 2, 3, 1, 4)
        k = self.k_proj(x).view(b, n, self.num_kv_heads, 1, self.head_dim).permute(0, 2, 3, 1, 4)
        v = self.v_proj(x).view(b, n, self.num_kv_heads, 1, self.head_dim).permute(0, 2, 3, 1, 4)
        scores = q @ k.mT / math.sqrt(self.head_dim)
        if attention_mask is not None:
            if attention_mask.shape[1] > 1:
                attention_mask = attention_mask[:, :: self.group]
            hidden = (attention_mask == 0).unsqueeze(2)
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        context = scores.softmax(-1) @ v
        return self.o_proj(context.permute(0, 3, 1, 2, 4).reshape(b, n, -1))
