# attn-kata: llama-block
from __future__ import annotations

import math

import torch
from torch import Tensor, nn
from torch.nn import functional as F


class SwiGLU(nn.Module):
    """Shazeer 2020, section 2, without biases."""

    def __init__(self, width: int, inner: int):
        super().__init__()
        self.W = nn.Parameter(torch.empty(width, inner))
        self.V = nn.Parameter(torch.empty(width, inner))
        self.W2 = nn.Parameter(torch.empty(inner, width))
        for p in self.parameters():
            nn.init.xavier_normal_(p)

    def forward(self, u: Tensor) -> Tensor:
        gated = (u @ self.W) * (u @ self.V)
        return F.silu(gated) @ self.W2


class GroupedAttention(nn.Module):
    def __init__(self, width: int, heads: int, kv_heads: int):
        super().__init__()
        self.heads, self.kv_heads, self.dim = heads, kv_heads, width // heads
        self.Wq = nn.Linear(width, width, bias=False)
        self.Wkv = nn.Linear(width, 2 * kv_heads * self.dim, bias=False)
        self.Wo = nn.Linear(width, width, bias=False)

    def turn(self, t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        half = self.dim // 2
        out = torch.empty_like(t)
        out[..., :half] = t[..., :half] * cos - t[..., half:] * sin
        out[..., half:] = t[..., half:] * cos + t[..., :half] * sin
        return out

    def forward(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        n, t, c = u.shape
        q = self.Wq(u).view(n, t, self.heads, self.dim).transpose(1, 2)
        k, v = self.Wkv(u).view(n, t, 2, self.kv_heads, self.dim).permute(2, 0, 3, 1, 4)
        q, k = self.turn(q, cos, sin), self.turn(k, cos, sin)
        q = q.unflatten(1, (self.kv_heads, -1))
        scores = q @ k.unsqueeze(2).mT / math.sqrt(self.dim)
        keep = torch.tril(torch.ones(t, t, dtype=torch.bool, device=u.device))
        probs = scores.masked_fill(~keep, -torch.inf).softmax(-1)
        heads = (probs @ v.unsqueeze(2)).flatten(1, 2)
        return self.Wo(heads.transpose(1, 2).reshape(n, t, c))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.attention = GroupedAttention(hidden_dim, num_heads, num_kv_heads)
        self.mlp = SwiGLU(hidden_dim, mlp_dim)
        self.norms = nn.ModuleList([nn.RMSNorm(hidden_dim, eps=1e-5) for _ in range(2)])

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h = x + self.attention(self.norms[0](x), cos, sin)
        return h + self.mlp(self.norms[1](h))
