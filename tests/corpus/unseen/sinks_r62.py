from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkHead(nn.Module):
    """Plain attention, dimmed afterwards: a row keeps exp(lse) / (exp(lse) + exp(sink)) of itself."""

    def __init__(self, width: int, size: int) -> None:
        super().__init__()
        self.ask, self.answer, self.content = (nn.Linear(width, size, bias=b) for b in (True, False, True))
        self.sink = nn.Parameter(torch.randn(()) * 0.1)

    def forward(self, x: Tensor) -> Tensor:
        q, k, v = self.ask(x), self.answer(x), self.content(x)
        bias = x.new_zeros(x.shape[1], x.shape[1]).masked_fill_(self.ahead(x), -math.inf)
        scores = torch.baddbmm(bias, q, k.mT, alpha=1 / math.sqrt(q.shape[-1]))
        kept = torch.sigmoid(scores.logsumexp(dim=-1, keepdim=True) - self.sink)
        return scores.softmax(dim=-1) @ v * kept

    @staticmethod
    def ahead(x: Tensor) -> Tensor:
        place = torch.arange(x.shape[1], device=x.device)
        return torch.lt(place[:, None], place)


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.heads = nn.ModuleList(SinkHead(hidden_dim, hidden_dim // num_heads) for _ in range(num_heads))
        self.out = nn.Linear(hidden_dim, hidden_dim)

    @property
    def sinks(self) -> Tensor:
        return torch.stack([head.sink for head in self.heads])

    def forward(self, x: Tensor) -> Tensor:
        return self.out(torch.cat([head(x) for head in self.heads], dim=-1))
