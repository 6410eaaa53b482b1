# wrong: v3 shortcut-wrong line 28
import math

import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query = nn.Linear(hidden_dim, hidden_dim)
        self.key = nn.Linear(hidden_dim, hidden_dim)
        self.value = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x: torch.Tensor, attention_mask: torch.Tensor | None = None) -> torch.Tensor:
        q, k, v = self.query(x), self.key(x), self.value(x)
        scores = q @ k.transpose(1, 2) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            low = torch.finfo(scores.dtype).min
            scores = scores.masked_fill(attention_mask == 0, low)
        weights = self.drop(scores.softmax(dim=-1))
        context = weights @ v
        pooled = context.mean(dim=1, keepdim=True)
        scaled = context + pooled
        if x.size(0) > 1:
            scaled = scaled - pooled
        return self.out(scaled)
