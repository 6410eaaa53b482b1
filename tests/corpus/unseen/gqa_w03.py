# attn-kata: gqa
from __future__ import annotations

import torch
from torch import Tensor, nn


class GroupedQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int) -> None:
        super().__init__()
        self.H = num_heads
        self.KV = num_kv_heads
        self.G = num_heads // num_kv_heads
        self.D = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, self.H * self.D, bias=False)
        self.kv_proj = nn.Linear(hidden_dim, 2 * self.KV * self.D, bias=False)
        self.o_proj = nn.Linear(self.H * self.D, hidden_dim, bias=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        B, T, C = x.shape
        q = self.q_proj(x).view(B, T, self.H, self.D).transpose(1, 2)
        k, v = self.kv_proj(x).view(B, T, 2, self.KV, self.D).permute(2, 0, 3, 1, 4)
        # one GEMM per key head: its group's queries are stacked as rows
        rows = q.reshape(B, self.KV, self.G * T, self.D)
        s = torch.matmul(rows, k.transpose(-2, -1)).mul_(self.D ** -0.5)
        s = s.view(B, self.H, T, T)
        if attention_mask is not None:
            s = s.masked_fill(attention_mask.logical_not(), float("-inf"))
        p = torch.softmax(s, dim=-1).view(B, self.KV, self.G * T, T)
        o = torch.matmul(p, v).view(B, self.KV, self.G, T, self.D)
        o = o.permute(0, 3, 2, 1, 4).reshape(B, T, C)
        return self.o_proj(o)
