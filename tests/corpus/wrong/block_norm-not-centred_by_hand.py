# wrong: block norm-not-centred line 22
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class LayerNorm(nn.Module):
    """Layer normalisation over the last axis, with weight and bias."""

    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))
        self.eps = eps

    def forward(self, x: Tensor) -> Tensor:
        mean = x.mean(dim=-1, keepdim=True)                     # (batch, length, 1)
        variance = (x - mean).square().mean(dim=-1, keepdim=True)
        normalised = x * torch.rsqrt(variance + self.eps)
        return normalised * self.weight + self.bias


class CausalSelfAttention(nn.Module):
    """Multi-head causal self-attention."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        assert hidden_dim % num_heads == 0, "hidden_dim must be a multiple of num_heads"
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)

    def _split(self, t: Tensor) -> Tensor:
        return t.view(t.size(0), t.size(1), self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, hidden_dim = x.shape
        q, k, v = self._split(self.q_proj(x)), self._split(self.k_proj(x)), self._split(self.v_proj(x))
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        allowed = torch.ones(length, length, dtype=torch.bool, device=x.device).tril()
        scores = scores.masked_fill(allowed.logical_not(), float("-inf"))
        context = torch.matmul(torch.softmax(scores, dim=-1), v)
        return self.out_proj(context.transpose(1, 2).reshape(batch, length, hidden_dim))


class TransformerBlock(nn.Module):
    """Pre-norm block: two residual branches around attention and MLP."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.norm_1 = LayerNorm(hidden_dim)
        self.attention = CausalSelfAttention(hidden_dim, num_heads)
        self.norm_2 = LayerNorm(hidden_dim)
        self.mlp = nn.Sequential(
            nn.Linear(hidden_dim, 4 * hidden_dim),
            nn.GELU(),
            nn.Linear(4 * hidden_dim, hidden_dim),
        )

    def forward(self, x: Tensor) -> Tensor:
        attended = x + self.attention(self.norm_1(x))
        return attended + self.mlp(self.norm_2(attended))
