from math import sqrt

import torch
from torch import nn


class SelfAttentionV1(nn.Module):
    """single head, no mask"""

    def __init__(self, hidden_dim: int):
        super().__init__()
        self.w_query = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_key = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.w_value = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query, key, value = self.w_query(x), self.w_key(x), self.w_value(x)
        d = query.size(-1)
        scores = query @ key.T / sqrt(d)
        probs = scores.softmax(-1)
        return probs @ value
