# attn-kata: differential
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class DifferentialConfig:
    hidden_dim: int
    num_heads: int
    depth: int
    norm_eps: float = 1e-5

    @property
    def head_dim(self) -> int:
        return self.hidden_dim // (2 * self.num_heads)

    @property
    def lambda_init(self) -> float:
        return 0.8 - 0.6 * math.exp(-0.3 * self.depth)


class HeadRMSNorm(nn.Module):
    def __init__(self, features: int, eps: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, hidden_states: Tensor) -> Tensor:
        input_dtype = hidden_states.dtype
        wide = hidden_states.to(torch.promote_types(input_dtype, torch.float32))
        variance = wide.pow(2).mean(dim=-1, keepdim=True)
        return self.weight * (wide * torch.rsqrt(variance + self.eps)).to(input_dtype)


class DifferentialAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, depth: int) -> None:
        super().__init__()
        self.config = DifferentialConfig(hidden_dim=hidden_dim, num_heads=num_heads, depth=depth)
        self.q_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        head_dim = self.config.head_dim
        self.lambda_q1 = nn.Parameter(torch.empty(head_dim).normal_(std=0.1))
        self.lambda_k1 = nn.Parameter(torch.empty(head_dim).normal_(std=0.1))
        self.lambda_q2 = nn.Parameter(torch.empty(head_dim).normal_(std=0.1))
        self.lambda_k2 = nn.Parameter(torch.empty(head_dim).normal_(std=0.1))
        self.sub_norm = HeadRMSNorm(features=2 * head_dim, eps=self.config.norm_eps)

    def _lambda(self) -> Tensor:
        first = torch.exp(torch.sum(self.lambda_q1 * self.lambda_k1))
        second = torch.exp(torch.sum(self.lambda_q2 * self.lambda_k2))
        return first - second + self.config.lambda_init

    def forward(self, x: Tensor) -> Tensor:
        cfg = self.config
        batch, length, _ = x.shape
        query = self.q_proj(x).view(batch, length, 2 * cfg.num_heads, cfg.head_dim).transpose(1, 2)
        key = self.k_proj(x).view(batch, length, 2 * cfg.num_heads, cfg.head_dim).transpose(1, 2)
        value = self.v_proj(x).view(batch, length, cfg.num_heads, 2 * cfg.head_dim).transpose(1, 2)

        scores = torch.matmul(query, key.transpose(-1, -2)) / math.sqrt(cfg.head_dim)
        future = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(diagonal=1)
        maps = scores.masked_fill(future, float("-inf")).softmax(dim=-1)
        maps = maps.view(batch, cfg.num_heads, 2, length, length)
        weights = maps[:, :, 0] - self._lambda() * maps[:, :, 1]

        context = self.sub_norm(torch.matmul(weights, value)) * (1 - cfg.lambda_init)
        return self.o_proj(context.transpose(1, 2).reshape(batch, length, cfg.hidden_dim))
