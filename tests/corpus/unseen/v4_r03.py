import math

import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    """Scaled dot-product self-attention with a single head.

    I name the axes as I go: b = batch, q = query position, k = key position, d = features.
    """

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query_projection = nn.Linear(hidden_dim, hidden_dim)
        self.key_projection = nn.Linear(hidden_dim, hidden_dim)
        self.value_projection = nn.Linear(hidden_dim, hidden_dim)
        self.weight_dropout = nn.Dropout(p=dropout)

    def forward(self, x, attention_mask=None):
        # three views of the same tokens: what I look for, what I offer, what I hand over
        query = self.query_projection(x)
        key = self.key_projection(x)
        value = self.value_projection(x)

        # similarity of every query with every key
        scores = torch.einsum("bqd,bkd->bqk", query, key)
        scores = scores / math.sqrt(self.hidden_dim)

        # forbidden pairs must get no probability at all
        if attention_mask is not None:
            forbidden = attention_mask == 0
            scores = scores.masked_fill(forbidden, -math.inf)

        weights = self.weight_dropout(torch.softmax(scores, dim=-1))
        return torch.einsum("bqk,bkd->bqd", weights, value)
