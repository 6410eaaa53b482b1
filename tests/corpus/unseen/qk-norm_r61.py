# Qwen3's layer, Gemma's gains (stored less 1), one Linear per head for q and k, values fused
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class GemmaRMSNorm(nn.Module):
    def __init__(self, dim: int, eps: float = 1e-6) -> None:
        super().__init__()
        self.eps = eps
        self.weight = nn.Parameter(torch.zeros(dim))

    def forward(self, x: Tensor) -> Tensor:
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        return x * torch.rsqrt(length.square() / x.shape[-1] + self.eps) * (1 + self.weight)


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        head_dim = hidden_dim // num_heads
        self.queries = nn.ModuleList(nn.Linear(hidden_dim, head_dim, bias=False) for _ in range(num_heads))
        self.keys = nn.ModuleList(nn.Linear(hidden_dim, head_dim, bias=False) for _ in range(num_heads))
        self.values = nn.Linear(hidden_dim, hidden_dim)
        self.q_norm, self.k_norm = GemmaRMSNorm(head_dim), GemmaRMSNorm(head_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        order = torch.arange(x.shape[1], device=x.device)
        future = order > order.unsqueeze(1)
        values = self.values(x).chunk(len(self.queries), dim=-1)
        heads = []
        for to_query, to_key, value in zip(self.queries, self.keys, values):
            query, key = self.q_norm(to_query(x)), self.k_norm(to_key(x))
            scores = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(query.shape[-1])
            weights = torch.softmax(scores.masked_fill(future, -math.inf), dim=-1)
            heads.append(torch.bmm(weights, value))
        return self.output(torch.cat(heads, dim=-1))
