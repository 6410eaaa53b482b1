import math

import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    """One head. 1 in the mask = may attend."""

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        query = self.query_proj(x)
        key = self.key_proj(x)
        value = self.value_proj(x)
        scores = query.matmul(key.transpose(-1, -2)) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            if attention_mask.dtype in (torch.bool, torch.uint8):
                hidden = (~attention_mask).bool()
            else:
                hidden = attention_mask == 0
            scores = scores.masked_fill(hidden, torch.finfo(scores.dtype).min)
        weights = self.dropout(scores.softmax(dim=-1))
        return weights.matmul(value)
