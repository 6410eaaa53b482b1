from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.scale = self.head_dim ** -0.5
        self.query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.key = nn.Linear(hidden_dim, self.head_dim, bias=False)
        self.value = nn.Linear(hidden_dim, self.head_dim, bias=False)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        b, n, _ = x.shape
        q = self.query(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        q = q * self.scale
        k = self.key(x)[:, None]    # (b, 1, n, d), shared by all heads
        v = self.value(x)[:, None]

        sim = (q @ k.transpose(-2, -1)) * self.scale
        if attention_mask is not None:
            sim = sim.masked_fill(attention_mask == 0, torch.finfo(sim.dtype).min)
        attn = F.softmax(sim, dim=-1)
        out = attn @ v
        return self.out(out.transpose(1, 2).flatten(2))
