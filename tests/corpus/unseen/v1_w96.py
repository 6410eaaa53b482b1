import math

import torch
from torch import Tensor, nn


def stable_softmax(scores: Tensor) -> Tensor:
    """Row-wise softmax of (batch, queries, keys)."""
    peak, _ = scores.max(1, keepdim=True)
    numerator = torch.exp(scores - peak)
    return numerator / numerator.sum(2, keepdim=True)


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int) -> None:
        super().__init__()
        self.hidden_dim: int = hidden_dim
        self.query: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.key: nn.Linear = nn.Linear(hidden_dim, hidden_dim)
        self.value: nn.Linear = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: Tensor) -> Tensor:
        query: Tensor = self.query(x)
        key: Tensor = self.key(x)
        value: Tensor = self.value(x)
        scores: Tensor = torch.bmm(query, key.transpose(1, 2)) / math.sqrt(self.hidden_dim)
        weights: Tensor = stable_softmax(scores)
        context: Tensor = torch.bmm(weights, value)
        return context
