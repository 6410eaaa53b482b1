from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class CausalSelfAttention(nn.Module):
    """Score GEMM with the mask folded in as its additive operand (baddbmm)."""

    def __init__(self, hidden_dim: int, num_heads: int, block_size: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.H, self.D = num_heads, hidden_dim // num_heads
        self.c_attn = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.c_proj = nn.Linear(hidden_dim, hidden_dim)

        bias = torch.full((block_size, block_size), -math.inf).triu_(1)
        self.register_buffer("bias", bias, persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        B, T, C = x.shape
        qkv = self.c_attn(x).view(B, T, 3, self.H, self.D)
        q, k, v = qkv.permute(2, 0, 3, 1, 4).reshape(3, B * self.H, T, self.D)

        bias = self.bias[-T:, :T].to(x.dtype).expand(B * self.H, T, T)
        scores = torch.baddbmm(bias, q, k.mT, beta=1.0, alpha=self.D**-0.5)
        ctx = torch.bmm(scores.softmax(dim=-1), v)

        out = x.new_empty(B, T, C)
        out.view(B, T, self.H, self.D).copy_(ctx.view(B, self.H, T, self.D).transpose(1, 2))
        return self.c_proj(out)
