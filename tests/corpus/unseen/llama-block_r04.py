# attn-kata: llama-block
from __future__ import annotations

import math
from typing import Callable

import torch
from torch import Tensor, nn


class RootMeanSquareNorm(nn.Module):
    """Normalises the last axis."""

    EPSILON: float = 1e-5

    def __init__(self, width: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, u: Tensor) -> Tensor:
        meanSquare: Tensor = torch.mean(u * u, dim=-1, keepdim=True)
        return u / torch.sqrt(meanSquare + self.EPSILON) * self.weight


class GroupedAttention(nn.Module):
    def __init__(self, width: int, heads: int, kvHeads: int) -> None:
        super().__init__()
        self.heads, self.kvHeads, self.headDim = heads, kvHeads, width // heads
        self.query = nn.Linear(width, heads * self.headDim, bias=False)
        self.key = nn.Linear(width, kvHeads * self.headDim, bias=False)
        self.value = nn.Linear(width, kvHeads * self.headDim, bias=False)
        self.output = nn.Linear(heads * self.headDim, width, bias=False)

    def splitHeads(self, t: Tensor, count: int) -> Tensor:
        return t.reshape(t.size(0), t.size(1), count, self.headDim).permute(0, 2, 1, 3)

    @staticmethod
    def rotate(t: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        first, second = torch.tensor_split(t, 2, dim=-1)
        return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1)

    def forward(self, u: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        q: Tensor = self.rotate(self.splitHeads(self.query(u), self.heads), cos, sin)
        k: Tensor = self.rotate(self.splitHeads(self.key(u), self.kvHeads), cos, sin)
        v: Tensor = self.splitHeads(self.value(u), self.kvHeads)
        owner: Tensor = torch.arange(self.heads, device=u.device) // (self.heads // self.kvHeads)
        k, v = k[:, owner], v[:, owner]
        scores: Tensor = torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(self.headDim)
        length: int = u.size(1)
        future: Tensor = torch.ones(length, length, dtype=torch.bool, device=u.device).triu(1)
        weights: Tensor = torch.softmax(scores.masked_fill(future, -math.inf), dim=-1)
        return self.output(torch.matmul(weights, v).permute(0, 2, 1, 3).flatten(2))


class GatedMlp(nn.Module):
    def __init__(self, width: int, inner: int) -> None:
        super().__init__()
        self.up = nn.Linear(width, inner, bias=False)
        self.gate = nn.Linear(width, inner, bias=False)
        self.down = nn.Linear(inner, width, bias=False)

    def forward(self, u: Tensor) -> Tensor:
        gate: Tensor = self.gate(u)
        return self.down(self.up(u) * gate * torch.sigmoid(gate))


class LlamaBlock(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, mlp_dim: int) -> None:
        super().__init__()
        if hidden_dim % num_heads or num_heads % num_kv_heads:
            raise ValueError("head counts do not divide")
        self.norms = nn.ModuleList(RootMeanSquareNorm(hidden_dim) for _ in range(2))
        self.attention = GroupedAttention(hidden_dim, num_heads, num_kv_heads)
        self.mlp = GatedMlp(hidden_dim, mlp_dim)

    def forward(self, x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
        stages: list[Callable[[Tensor], Tensor]] = [lambda u: self.attention(u, cos, sin), self.mlp]
        for norm, stage in zip(self.norms, stages):
            x = x + stage(norm(x))
        return x
