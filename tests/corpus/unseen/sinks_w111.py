from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class SinkAttention(nn.Module):
    """Plain attention first, gated afterwards by how much of each row its keys would have got."""

    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.output = nn.Linear(hidden_dim, hidden_dim)
        self.sink_logits = nn.Parameter(torch.zeros(num_heads))

    def _causal_scores(self, query: Tensor, key: Tensor) -> Tensor:
        scores = torch.einsum("bqhd,bkhd->bhqk", query, key) / math.sqrt(self.head_dim)
        position = torch.arange(query.shape[1], device=query.device)
        return scores.masked_fill(position[None, :] > position[:, None], -math.inf)

    def _gate(self, scores: Tensor) -> Tensor:
        partition = scores.logsumexp(dim=-1)                              # (batch, heads, length)
        return torch.sigmoid(self.sink_logits[:, None] - partition)

    def forward(self, x: Tensor) -> Tensor:
        query, key, value = (
            layer(x).unflatten(-1, (self.num_heads, self.head_dim))
            for layer in (self.query, self.key, self.value)
        )
        scores = self._causal_scores(query, key)
        heads = torch.einsum("bhqk,bkhd->bqhd", scores.softmax(dim=-1), value)
        heads = heads * self._gate(scores).transpose(1, 2).unsqueeze(-1)
        return self.output(heads.flatten(2))
