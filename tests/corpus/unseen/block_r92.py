from __future__ import annotations

import math

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch import Tensor


class TransformerBlock(nn.Module):
    """All in one class; GELU from its formula."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.ln_1, self.ln_2 = nn.LayerNorm(hidden_dim), nn.LayerNorm(hidden_dim, bias=False)
        self.attn_in = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.attn_out = nn.Linear(hidden_dim, hidden_dim)
        self.fc = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.proj = nn.Linear(4 * hidden_dim, hidden_dim)

    def attention(self, x: Tensor) -> Tensor:
        b, t, c = x.shape
        qkv = self.attn_in(x).view(b, t, 3 * self.num_heads, c // self.num_heads).transpose(1, 2)
        q, k, v = qkv.tensor_split(3, dim=1)
        att = (q @ k.mT).mul(1 / math.sqrt(c // self.num_heads))
        future = torch.full((t, t), float("-inf"), dtype=att.dtype, device=x.device).triu(1)
        y = (att + future).softmax(-1) @ v
        return self.attn_out(y.transpose(1, 2).reshape(b, t, c))

    def mlp(self, x: Tensor) -> Tensor:
        u = self.fc(x)
        return self.proj(u * 0.5 * (1.0 + torch.erf(u / math.sqrt(2.0))))

    def forward(self, x: Tensor) -> Tensor:
        x = x + self.attention(self.ln_1(x))
        return x + self.mlp(self.ln_2(x))
