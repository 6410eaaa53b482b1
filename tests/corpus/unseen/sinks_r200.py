# attn-kata: sinks
from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class SinkConfig:
    hidden_size: int
    num_heads: int

    @cached_property
    def head_dim(self) -> int:
        return self.hidden_size // self.num_heads


class AttentionMass(nn.Module, ABC):
    """How much of a head's softmax the keys get, given the logarithm of their summed exponentials."""

    @abstractmethod
    def forward(self, log_total: Tensor) -> Tensor: ...


class LearnedSink(AttentionMass):
    """exp(total) / (exp(total) + exp(sink)), which is a sigmoid of the difference."""

    def __init__(self, num_heads: int) -> None:
        super().__init__()
        self.logit = nn.Parameter(torch.zeros(num_heads))

    def forward(self, log_total: Tensor) -> Tensor:
        return torch.sigmoid(log_total - self.logit[:, None])


class SinkAttention(nn.Module):
    """The sink never enters the softmax: it scales what a head has to say."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.config = SinkConfig(hidden_dim, num_heads)
        self.qkv_proj = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)
        self.mass = LearnedSink(num_heads)

    def forward(self, x: Tensor) -> Tensor:
        heads = (3, self.config.num_heads, self.config.head_dim)
        query, key, value = self.qkv_proj(x).unflatten(-1, heads).permute(2, 0, 3, 1, 4)

        scores = query @ key.mT / math.sqrt(self.config.head_dim)
        length = x.size(1)
        later = torch.ones(length, length, dtype=torch.bool, device=x.device).triu(1)
        scores = scores.masked_fill(later, -torch.inf)

        log_total = torch.logsumexp(scores, dim=-1)
        context = (scores.softmax(dim=-1) @ value) * self.mass(log_total).unsqueeze(-1)
        return self.o_proj(context.transpose(1, 2).flatten(2))
