from __future__ import annotations

import math
from functools import cached_property
from typing import Literal

import torch
from torch import Tensor, nn

Init = Literal["normal", "zeros"]


class RMSNorm(nn.Module):
    def __init__(self, width: int, eps: float = 1e-5) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.eps = eps

    def extra_repr(self) -> str:
        return f"{self.weight.numel()}, eps={self.eps}"

    def forward(self, u: Tensor) -> Tensor:
        return u * torch.rsqrt(u.square().mean(-1, keepdim=True) + self.eps) * self.weight


class DifferentialAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, depth: int, *, lambda_start: Init = "normal"
    ) -> None:
        super().__init__()
        assert hidden_dim % (2 * num_heads) == 0, "hidden_dim must be a multiple of 2 * num_heads"
        self.num_heads, self.depth = num_heads, depth
        self.head_dim = hidden_dim // num_heads // 2
        self.q_proj, self.k_proj, self.v_proj, self.out_proj = (
            nn.Linear(hidden_dim, hidden_dim, bias=False) for _ in range(4)
        )
        spread = {"normal": 0.1, "zeros": 0.0}[lambda_start]
        self.lambdas = nn.ParameterDict(
            {name: torch.randn(self.head_dim) * spread for name in ("q1", "k1", "q2", "k2")}
        )
        self.subln = RMSNorm(2 * self.head_dim)

    @cached_property
    def lambda_init(self) -> float:
        return 0.8 - 0.6 * math.exp(-0.3 * self.depth)

    @property
    def strength(self) -> Tensor:
        p = self.lambdas
        first, second = ((p[f"q{i}"] * p[f"k{i}"]).sum().exp() for i in (1, 2))
        return first - second + self.lambda_init

    def forward(self, x: Tensor) -> Tensor:
        q = self.q_proj(x).unflatten(-1, (2 * self.num_heads, self.head_dim)).transpose(1, 2)
        k = self.k_proj(x).unflatten(-1, (2 * self.num_heads, self.head_dim)).transpose(1, 2)
        v = self.v_proj(x).unflatten(-1, (self.num_heads, 2 * self.head_dim)).transpose(1, 2)
        scores = q @ k.mT / math.sqrt(self.head_dim)
        ahead = torch.ones(scores.shape[-2:], dtype=torch.bool, device=x.device).triu(1)
        maps = scores.masked_fill(ahead, -math.inf).softmax(-1)
        even, odd = maps[:, 0::2], maps[:, 1::2]
        heads = self.subln((even - self.strength * odd) @ v) * (1 - self.lambda_init)
        return self.out_proj(heads.transpose(1, 2).flatten(2))
