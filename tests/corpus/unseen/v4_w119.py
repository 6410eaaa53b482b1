import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class SelfAttentionV4(nn.Module):
    names = ("query", "key", "value")

    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        for name in self.names:
            self.add_module(name, nn.Linear(hidden_dim, hidden_dim))
        self.dropout = nn.Dropout(dropout)

    def project(self, x):
        projected = []
        for name in self.names:
            x = self.get_submodule(name)(x)
            projected.append(x)
        return projected

    def forward(self, x, attention_mask=None):
        query, key, value = self.project(x)

        scores = query.matmul(key.transpose(-1, -2)).div(math.sqrt(query.shape[-1]))
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask.eq(0), torch.finfo(scores.dtype).min)

        weights = self.dropout(F.softmax(scores, dim=-1))
        return weights.matmul(value)
