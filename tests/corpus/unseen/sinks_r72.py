from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class OneHead(nn.Module):
    def __init__(self, width: int, dim: int):
        super().__init__()
        self.proj = nn.ModuleDict({name: nn.Linear(width, dim) for name in ("query", "key", "value")})
        self.sink = nn.Parameter(torch.randn(()))

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = (p(x) for p in self.proj.values())
        # the sink is a key in front of all others: its column is written by a pad, its value is 0
        scores = torch.bmm(q, k.mT).mul(k.shape[-1] ** -0.5)
        t = x.shape[1]
        scores = scores.where(torch.ones(t, t, device=x.device).tril().bool(), scores.new_tensor(-torch.inf))
        front = self.sink.to(scores.dtype).reshape(1, 1, 1).expand(x.shape[0], t, 1)
        weights = F.softmax(torch.cat((front, scores), -1), -1)
        return torch.bmm(weights, F.pad(v, (0, 0, 1, 0)))


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = nn.ModuleList([OneHead(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads)])
        self.mix = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        return self.mix(torch.cat([head(x) for head in self.heads], dim=-1))
