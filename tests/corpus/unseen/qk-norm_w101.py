from __future__ import annotations

import math

import torch
from torch import Tensor, nn


def rms_norm(u: Tensor, gain: Tensor, eps: float = 1e-6) -> Tensor:
    mean_square = u.pow(2).mean(dim=-1)
    return u / torch.sqrt(mean_square + eps) * gain


class QKNormAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.query_gain = nn.Parameter(torch.ones(self.head_dim))
        self.key_gain = nn.Parameter(torch.ones(self.head_dim))

    def forward(self, x: Tensor) -> Tensor:
        batch, length, width = x.shape
        shape = (batch, length, self.num_heads, self.head_dim)
        query = rms_norm(self.query(x).view(shape), self.query_gain).transpose(1, 2)
        key = rms_norm(self.key(x).view(shape), self.key_gain).transpose(1, 2)
        value = self.value(x).view(shape).transpose(1, 2)
        scores = query @ key.mT / math.sqrt(self.head_dim)
        index = torch.arange(length, device=x.device)
        scores = scores.masked_fill(index[None, :] > index[:, None], float("-inf"))
        context = torch.softmax(scores, dim=-1) @ value
        return self.output(context.transpose(1, 2).reshape(batch, length, width))
