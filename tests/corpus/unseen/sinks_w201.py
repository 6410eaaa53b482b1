# attn-kata: sinks
from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor, nn


@dataclass(eq=False)
class ScoreStatistics:
    """Scores together with the log of their softmax's denominator."""

    scores: Tensor
    log_norm: Tensor

    @classmethod
    def of(cls, query: Tensor, key: Tensor) -> ScoreStatistics:
        scores = query @ key.transpose(-2, -1) / math.sqrt(query.size(-1))
        return cls(scores, scores.logsumexp(dim=-1, keepdim=True))

    def causal(self) -> ScoreStatistics:
        length = self.scores.size(-1)
        mask = torch.ones(length, length, dtype=torch.bool, device=self.scores.device).tril()
        return ScoreStatistics(self.scores.masked_fill(~mask, float("-inf")), self.log_norm)


class SinkGate(nn.Module):
    """1 / (1 + exp(sink - log_norm)): the part of the softmax that is left to the keys."""

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        self.sinks = nn.Parameter(torch.zeros(num_heads))

    def forward(self, statistics: ScoreStatistics) -> Tensor:
        return torch.sigmoid(statistics.log_norm - self.sinks.view(-1, 1, 1))


class SinkAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim, bias=False)
        self.gate = SinkGate(num_heads)
        self.proj = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        qkv = self.qkv(x).view(batch, length, 3, self.num_heads, width // self.num_heads)
        query, key, value = qkv.permute(2, 0, 3, 1, 4)

        statistics = ScoreStatistics.of(query, key).causal()
        weights = statistics.scores.softmax(dim=-1) * self.gate(statistics)

        context = (weights @ value).transpose(1, 2).reshape(batch, length, width)
        return self.proj(context)
