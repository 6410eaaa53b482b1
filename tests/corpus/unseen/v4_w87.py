# attn-kata: v4
import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.hidden_dim = hidden_dim
        self.dropout = dropout
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)

    def _weights(self, query: Tensor, key: Tensor, attention_mask) -> Tensor:
        scores = query @ key.transpose(-2, -1) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        return F.softmax(scores, dim=-1)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        query = self.query_proj(x)
        key = self.key_proj(x)
        value = self.value_proj(x)
        weights = self._weights(query, key, attention_mask)
        weights = F.dropout(weights, self.dropout)
        return weights @ value
