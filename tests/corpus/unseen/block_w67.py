from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class TransformerBlock(nn.Module):
    """Heads are processed one after the other into a preallocated context buffer."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.ln_attn = nn.LayerNorm(hidden_dim)
        self.ln_mlp = nn.LayerNorm(hidden_dim)
        self.w_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_kv = nn.Linear(hidden_dim, 2 * hidden_dim, bias=False)
        self.w_o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_up = nn.Linear(hidden_dim, 4 * hidden_dim)
        self.w_down = nn.Linear(4 * hidden_dim, hidden_dim)
        self.gelu = nn.GELU()

    def self_attention(self, q: Tensor, k: Tensor, v: Tensor) -> Tensor:
        n = q.size(1)
        ahead = torch.ones(n, n, dtype=torch.bool, device=q.device).triu_(1)
        ctx = torch.empty_like(q)
        for h in range(self.num_heads):
            lo = h * self.head_dim
            hi = lo + self.head_dim
            s = torch.bmm(q[:, :, lo:hi], k[:, :, lo:hi].transpose(1, 2)) / math.sqrt(self.head_dim)
            p = torch.softmax(s.masked_fill(ahead, -math.inf), dim=2)
            ctx[:, :, lo:hi] = torch.bmm(p, v[:, :, lo:hi])
        return self.w_o(ctx)

    def forward(self, x: Tensor) -> Tensor:
        normed = self.ln_attn(x)
        q = self.w_q(normed)
        k, v = self.w_kv(x).chunk(2, dim=-1)
        x = x + self.self_attention(q, k, v)
        normed = self.ln_mlp(x)
        return x + self.w_down(self.gelu(self.w_up(normed)))
