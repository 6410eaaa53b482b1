from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn.functional import linear, silu


@dataclass(frozen=True, slots=True)
class Heads:
    queries: int
    shared: int
    size: int

    @property
    def group(self) -> int:
        return self.queries // self.shared


def rotated(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    x = x.clone()
    a, b = x[..., :half], x[..., half:]
    a[:] = a * cos - b * sin
    b[:] = b * cos + a * sin
    return x


def matrix(rows: int, columns: int) -> nn.Parameter:
    return nn.Parameter(torch.empty(rows, columns).normal_(std=columns**-0.5))


class RMS(nn.Module):
    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, u: Tensor) -> Tensor:
        return u / (u.square().mean(-1, keepdim=True) + 1e-5).sqrt() * self.weight


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        self.heads = h = Heads(num_heads, num_kv_heads, hidden_dim // num_heads)
        self.norm_1, self.norm_2 = RMS(hidden_dim), RMS(hidden_dim)
        self.q = matrix(h.queries * h.size, hidden_dim)
        self.k = matrix(h.shared * h.size, hidden_dim)
        self.v = matrix(h.shared * h.size, hidden_dim)
        self.o = matrix(hidden_dim, h.queries * h.size)
        self.gate, self.up = matrix(mlp_dim, hidden_dim), matrix(mlp_dim, hidden_dim)
        self.down = matrix(hidden_dim, mlp_dim)

    def attention(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        h, n = self.heads, u.shape[-2]
        q, k, v = (linear(u, w).unflatten(-1, (-1, h.size)).transpose(1, 2) for w in (self.q, self.k, self.v))
        q, k = rotated(q, cos, sin), rotated(k, cos, sin)
        q = q.unflatten(1, (h.shared, h.group))
        scores = torch.einsum("bsgqd,bskd->bsgqk", q, k) / math.sqrt(h.size)
        past = torch.ones(n, n, dtype=torch.bool, device=u.device).tril()
        weights = scores.masked_fill(~past, -math.inf).softmax(-1)
        out = torch.einsum("bsgqk,bskd->bqsgd", weights, v)
        return linear(out.flatten(2), self.o)

    def mlp(self, u: Tensor) -> Tensor:
        return linear(silu(linear(u, self.gate)) * linear(u, self.up), self.down)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        return (h := x + self.attention(self.norm_1(x), cos, sin)) + self.mlp(self.norm_2(h))
