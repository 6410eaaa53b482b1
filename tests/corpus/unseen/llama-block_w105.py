from __future__ import annotations

import torch
from torch import Tensor, nn


class RMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.eps = eps
        self.root = dim**0.5
        self.gamma = nn.Parameter(torch.ones(dim))

    def forward(self, x: Tensor) -> Tensor:
        rms = x.norm(p=2, dim=-1, keepdim=True) / self.root
        return x / (rms + self.eps) * self.gamma


class Rotary(nn.Module):
    def forward(self, t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        cos, sin = torch.cat([cos, cos], dim=-1), torch.cat([sin, sin], dim=-1)
        left, right = t.tensor_split(2, dim=-1)
        return t * cos + torch.cat([-right, left], dim=-1) * sin


class Attention(nn.Module):
    def __init__(self, dim: int, heads: int, kv_heads: int) -> None:
        super().__init__()
        self.kv_heads, self.dim_head = kv_heads, dim // heads
        self.to_q = nn.Linear(dim, dim, bias=False)
        self.to_kv = nn.Linear(dim, 2 * kv_heads * self.dim_head, bias=False)
        self.to_out = nn.Linear(dim, dim, bias=False)
        self.rotary = Rotary()

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        n = x.size(1)
        q = self.to_q(x).unflatten(-1, (-1, self.dim_head)).transpose(1, 2)
        k, v = (t.unflatten(-1, (-1, self.dim_head)).transpose(1, 2) for t in self.to_kv(x).chunk(2, dim=-1))
        q, k = self.rotary(q, cos, sin), self.rotary(k, cos, sin)
        share = q.size(1) // self.kv_heads
        k, v = (t.unsqueeze(2).expand(-1, -1, share, -1, -1).flatten(1, 2) for t in (k, v))
        sim = q @ k.mT * self.dim_head**-0.5
        sim = sim.masked_fill(torch.ones(n, n, dtype=torch.bool, device=x.device).triu(1), float("-inf"))
        out = sim.softmax(dim=-1) @ v
        return self.to_out(out.transpose(1, 2).flatten(2))


class SwiGLU(nn.Module):
    def __init__(self, dim: int, inner: int) -> None:
        super().__init__()
        self.gate = nn.Sequential(nn.Linear(dim, inner, bias=False), nn.SiLU())
        self.up = nn.Linear(dim, inner, bias=False)
        self.down = nn.Linear(inner, dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        return self.down(self.gate(x) * self.up(x))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.norm_attn, self.norm_mlp = RMSNorm(hidden_dim), RMSNorm(hidden_dim)
        self.attn = Attention(hidden_dim, num_heads, num_kv_heads)
        self.mlp = SwiGLU(hidden_dim, mlp_dim)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        x = x + self.attn(self.norm_attn(x), cos, sin)
        return x + self.mlp(self.norm_mlp(x))
