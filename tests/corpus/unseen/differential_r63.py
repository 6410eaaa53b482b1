# attn-kata: differential
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass
class DiffConfig:
    hidden_dim: int
    num_heads: int
    depth: int
    eps: float = 1e-5

    def __post_init__(self):
        assert self.hidden_dim % (2 * self.num_heads) == 0
        self.head_dim = self.hidden_dim // (2 * self.num_heads)
        self.lambda_init = 0.8 - 0.6 * math.exp(-0.3 * self.depth)


class SoftmaxMap(nn.Module):
    """One causal map with projections of its own."""

    def __init__(self, cfg: DiffConfig):
        super().__init__()
        self.query = nn.Linear(cfg.hidden_dim, cfg.head_dim, bias=False)
        self.key = nn.Linear(cfg.hidden_dim, cfg.head_dim, bias=False)
        self.factor = 1 / math.sqrt(cfg.head_dim)

    def forward(self, x: Tensor) -> Tensor:
        s = torch.bmm(self.query(x), self.key(x).transpose(1, 2)) * self.factor
        n = x.size(1)
        bias = torch.full((n, n), float("-inf"), device=x.device, dtype=s.dtype).triu(1)
        return torch.softmax(s + bias, 2)


class DiffHead(nn.Module):
    def __init__(self, cfg: DiffConfig):
        super().__init__()
        self.positive, self.negative = SoftmaxMap(cfg), SoftmaxMap(cfg)
        self.value = nn.Linear(cfg.hidden_dim, 2 * cfg.head_dim, bias=False)

    def forward(self, x: Tensor, lam: Tensor) -> Tensor:
        v = self.value(x)
        return self.positive(x) @ v - lam * (self.negative(x) @ v)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int):
        super().__init__()
        self.cfg = cfg = DiffConfig(hidden_dim, num_heads, depth)
        self.heads = nn.ModuleList([DiffHead(cfg) for _ in range(num_heads)])
        for name in ("lq1", "lk1", "lq2", "lk2"):
            self.register_parameter(name, nn.Parameter(0.1 * torch.randn(cfg.head_dim)))
        self.norm = nn.RMSNorm(2 * cfg.head_dim, eps=cfg.eps)
        self.out = nn.Linear(hidden_dim, hidden_dim, bias=False)

    @property
    def lam(self) -> Tensor:
        return (self.lq1 @ self.lk1).exp() - (self.lq2 @ self.lk2).exp() + self.cfg.lambda_init

    def forward(self, x: Tensor) -> Tensor:
        lam = self.lam
        parts = [self.norm(head(x, lam)) for head in self.heads]
        return self.out((1 - self.cfg.lambda_init) * torch.cat(parts, dim=-1))
