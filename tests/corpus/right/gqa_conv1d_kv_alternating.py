# right: gqa
from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        assert num_heads % num_kv_heads == 0
        self.nh, self.nkv, self.hd = num_heads, num_kv_heads, hidden_dim // num_heads
        self.a = nn.Conv1d(hidden_dim, 2 * num_kv_heads * self.hd, 1)
        self.b = nn.Conv1d(num_heads * self.hd, hidden_dim, 1, bias=False)
        self.c = nn.Conv1d(hidden_dim, num_heads * self.hd, 1, bias=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, T, C = x.shape
        z = x.transpose(1, 2)  # B, C, T
        kv = self.a(z).view(B, self.nkv, 2, self.hd, T)
        k, v = kv.unbind(2)  # B, nkv, hd, T
        q = self.c(z).view(B, self.nkv, self.nh // self.nkv, self.hd, T)
        s = q.transpose(-1, -2) @ k.unsqueeze(2)
        s = s.reshape(B, self.nh, T, T) / self.hd**0.5
        if attention_mask is not None:
            s = s.masked_fill(attention_mask.logical_not(), float("-inf"))
        w = s.softmax(-1).view(B, self.nkv, -1, T, T)
        y = v.unsqueeze(2) @ w.transpose(-1, -2)  # B, nkv, r, hd, T
        return self.b(y.reshape(B, C, T)).transpose(1, 2)
