from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.ones(dim))

    def forward(self, u: Tensor) -> Tensor:
        spread = u.var(dim=-1, unbiased=False, keepdim=True)
        return u * torch.rsqrt(spread + self.eps) * self.weight


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.head_dim = hidden_dim // num_heads
        self.n_rep = num_heads // num_kv_heads
        kv_dim = num_kv_heads * self.head_dim
        self.input_norm, self.post_norm = RMSNorm(hidden_dim), RMSNorm(hidden_dim)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, kv_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, kv_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.gate_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.up_proj = nn.Linear(hidden_dim, mlp_dim, bias=False)
        self.down_proj = nn.Linear(mlp_dim, hidden_dim, bias=False)

    def heads(self, t: Tensor) -> Tensor:
        return t.view(*t.shape[:-1], -1, self.head_dim).transpose(1, 2)

    @staticmethod
    def rotate(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        a, b = t.chunk(2, -1)
        return torch.cat((a * cos - b * sin, b * cos + a * sin), -1)

    def attention(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        q = self.rotate(self.heads(self.q_proj(u)), cos, sin)
        k = self.rotate(self.heads(self.k_proj(u)), cos, sin).repeat_interleave(self.n_rep, 1)
        v = self.heads(self.v_proj(u)).repeat_interleave(self.n_rep, 1)
        n = u.shape[1]
        hidden = torch.ones(n, n, dtype=torch.bool, device=u.device).triu(1)
        w = (q @ k.mT / math.sqrt(self.head_dim)).masked_fill(hidden, float("-inf")).softmax(-1)
        return self.o_proj((w @ v).transpose(1, 2).flatten(2))

    def mlp(self, u: Tensor) -> Tensor:
        return self.down_proj(F.silu(self.gate_proj(u)) * self.up_proj(u))

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = x + self.attention(self.input_norm(x), cos, sin)
        return h + self.mlp(self.post_norm(h))
