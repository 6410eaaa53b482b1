import math

import torch
import torch.nn as nn


class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim: int):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        query = self.query(x)  # (B, T, D)
        key = self.key(x)      # (B, T, D)
        value = self.value(x)  # (B, T, D)

        key_t = key.transpose(-2, -1)  # (B, D, T)
        d_k = key_t.size(-1)
        scores = torch.matmul(query, key_t) / math.sqrt(d_k)
        weights = torch.softmax(scores, dim=-1)  # (B, T, T)
        return torch.matmul(weights, value)
