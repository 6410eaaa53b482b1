from __future__ import annotations

import torch
from torch import Tensor, nn


class CausalAttention(nn.Module):
    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.to_qkv = nn.Linear(dim, dim * 3, bias=False)
        self.to_out = nn.Linear(dim, dim)

    def forward(self, x: Tensor) -> Tensor:
        b, n, d = x.shape
        q, k, v = self.to_qkv(x).view(b, n, 3, self.heads, d // self.heads).permute(2, 0, 3, 1, 4)
        sim = q @ k.transpose(-1, -2) * (d // self.heads) ** -0.5
        future = torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1)
        sim = sim.masked_fill(future, float("-inf"))
        return self.to_out((sim.softmax(dim=-1) @ v).transpose(1, 2).reshape(b, n, d))


class TransformerBlock(nn.Module):
    """Pre-norm 的 Transformer 层"""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.norm_1 = nn.LayerNorm(hidden_dim)
        self.norm_2 = nn.LayerNorm(hidden_dim)
        self.attention = CausalAttention(hidden_dim, num_heads)
        self.up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.act = nn.GELU()
        self.down = nn.Linear(4 * hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        # 注意力
        x = self.norm_1(x)
        x = x + self.attention(x)
        # 前馈网络
        h = self.norm_2(x)
        h = self.down(self.act(self.up(h)))
        return x + h
