from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import nn


@dataclass
class DiffConfig:
    hidden_dim: int
    num_heads: int
    depth: int
    eps: float = 1e-5

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // self.num_heads // 2


class DifferentialAttention(nn.Module):
    def __init__(self, config: DiffConfig):
        super().__init__()
        self.config = config
        width = config.hidden_dim
        self.query = nn.Linear(width, width, bias=False)
        self.key = nn.Linear(width, width, bias=False)
        self.value = nn.Linear(width, width, bias=False)
        self.output = nn.Linear(width, width, bias=False)
        for name in ("lambda_query_1", "lambda_key_1", "lambda_query_2", "lambda_key_2"):
            self.register_parameter(name, nn.Parameter(0.1 * torch.randn(config.head_dim)))
        self.head_norm = nn.RMSNorm(2 * config.head_dim, eps=config.eps)

    def _lambda_init(self) -> float:
        return 0.8 - 0.6 * math.exp(-0.3 * self.config.depth)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        c = self.config
        batch, length = x.shape[:2]

        def split(t: torch.Tensor, parts: int, size: int) -> torch.Tensor:
            return t.view(batch, length, parts, size).transpose(1, 2)

        query = split(self.query(x), 2 * c.num_heads, c.head_dim)
        key = split(self.key(x), 2 * c.num_heads, c.head_dim)
        value = split(self.value(x), c.num_heads, 2 * c.head_dim)
        scores = torch.baddbmm(
            torch.zeros((), dtype=x.dtype, device=x.device), query.flatten(0, 1), key.flatten(0, 1).mT,
            beta=0, alpha=1 / math.sqrt(c.head_dim),
        ).view(batch, 2 * c.num_heads, length, length)
        keep = torch.ones_like(scores[0, 0]).tril().bool()
        weights = scores.masked_fill(keep.logical_not(), torch.finfo(scores.dtype).min).softmax(-1)
        weights = weights.unflatten(1, (c.num_heads, 2))
        lam = (
            torch.exp(self.lambda_query_1 @ self.lambda_key_1)
            - torch.exp(self.lambda_query_2 @ self.lambda_key_2)
            + self._lambda_init()
        )
        context = weights.select(2, 0) @ value - lam * weights.select(2, 1) @ value
        context = self.head_norm(context).mul(1 - self._lambda_init())
        return self.output(context.transpose(1, 2).reshape(x.shape))
