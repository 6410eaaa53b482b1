from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.num_heads: int = num_heads
        self.head_dim: int = hidden_dim // (2 * num_heads)
        self.depth: int = depth
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        for name in ("lq1", "lk1", "lq2", "lk2"):
            self.register_parameter(name, nn.Parameter(0.1 * torch.randn(self.head_dim)))
        self.norm_weight = nn.Parameter(torch.ones(2 * self.head_dim))

    @property
    def lambda_init(self) -> float:
        return 0.8 - 0.6 * math.exp(-0.3 * self.depth)

    @property
    def lam(self) -> Tensor:
        first, second = (
            torch.exp(torch.mean(q * k))
            for q, k in ((self.lq1, self.lk1), (self.lq2, self.lk2))
        )
        return first - second + self.lambda_init

    def maps(self, query: Tensor, key: Tensor) -> Tensor:
        scores = torch.einsum("bihcd,bjhcd->bhcij", query, key) / math.sqrt(self.head_dim)
        i = torch.arange(scores.shape[-1], device=scores.device)
        scores = scores.masked_fill(i[:, None] < i[None, :], torch.finfo(scores.dtype).min)
        return scores.softmax(dim=-1)

    def forward(self, x: Tensor) -> Tensor:
        pairs = (self.num_heads, 2, self.head_dim)
        maps = self.maps(self.query(x).unflatten(-1, pairs), self.key(x).unflatten(-1, pairs))
        weights = maps[:, :, 0] - self.lam * maps[:, :, 1]
        value = self.value(x).unflatten(-1, (self.num_heads, 2 * self.head_dim))
        heads = torch.einsum("bhij,bjhd->bihd", weights, value)
        power = heads.pow(2).mean(dim=-1, keepdim=True)
        heads = heads / torch.sqrt(power + 1e-5) * self.norm_weight
        heads = (1.0 - self.lambda_init) * heads
        return self.output(heads.flatten(2))
