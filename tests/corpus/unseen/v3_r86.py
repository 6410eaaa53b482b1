import math
from typing import Optional

import torch
import torch.nn as nn
import torch.nn.functional as F


class AttentionCore(nn.Module):
    """Everything between the projections: scores, mask, weights, sum."""

    def __init__(self, width: int, rate: float):
        super().__init__()
        self.inv_scale = 1.0 / math.sqrt(width)
        self.rate = rate

    def weights(self, query, key, allowed: Optional[torch.Tensor]):
        scores = torch.matmul(query, key.transpose(-2, -1)) * self.inv_scale
        if allowed is not None:
            scores = scores.masked_fill(allowed == 0, float("-inf"))
        return torch.softmax(scores, dim=-1)

    def forward(self, query, key, value, allowed=None):
        weights = self.weights(query, key, allowed)
        weights = F.dropout(weights, self.rate, self.training)
        return torch.matmul(weights, value)


class BaseAttention(nn.Module):
    def __init__(self, width: int):
        super().__init__()
        self.width = width
        self.in_proj = nn.Linear(width, 3 * width)
        self.out_proj = nn.Linear(width, width)


class SelfAttentionV3(BaseAttention):
    def __init__(self, hidden_dim: int, dropout: float = 0.1):
        super().__init__(hidden_dim)
        self.core = AttentionCore(hidden_dim, dropout)

    def forward(self, x, attention_mask=None):
        query, key, value = self.in_proj(x).chunk(3, dim=-1)
        return self.out_proj(self.core(query, key, value, attention_mask))
