# wrong: block norm-shared line 38
from __future__ import annotations

import torch
from torch import Tensor, nn


class TransformerBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.norm_1 = nn.LayerNorm(hidden_dim)
        self.norm_2 = nn.LayerNorm(hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim),
            nn.GELU(),
            nn.Linear(4 * hidden_dim, hidden_dim),
        )

    def attention(self, h: Tensor) -> Tensor:
        heads = (self.num_heads, self.head_dim)
        q = self.q_proj(h).unflatten(-1, heads)
        k = self.k_proj(h).unflatten(-1, heads)
        v = self.v_proj(h).unflatten(-1, heads)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, k) * self.head_dim**-0.5
        at = torch.arange(h.shape[1], device=h.device)
        scores = scores.masked_fill(at[None, :] > at[:, None], -torch.inf)
        mixed = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(dim=-1), v)
        return self.o_proj(mixed.flatten(-2))

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self.attention(self.norm_1(x))
        return attended + self.mlp(self.norm_1(attended))
