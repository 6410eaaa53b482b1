# right: mha remarks: nan-on-empty-row
from abc import ABC, abstractmethod

import torch
from torch import nn


class AttentionBase(nn.Module, ABC):
    def __init__(self, hidden_dim: int, dropout: float):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.query_projection = nn.Linear(hidden_dim, hidden_dim)
        self.key_projection = nn.Linear(hidden_dim, hidden_dim)
        self.value_projection = nn.Linear(hidden_dim, hidden_dim)
        self.output_projection = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    @abstractmethod
    def split(self, x): ...

    @abstractmethod
    def merge(self, x): ...

    def weights(self, q, k, mask):
        scores = q.matmul(k.transpose(-1, -2)) * q.size(-1) ** -0.5
        if mask is not None:
            scores = scores.masked_fill(mask.eq(0), -float("inf"))
        return self.dropout(scores.softmax(dim=-1))

    def forward(self, x, attention_mask=None):
        q = self.split(self.query_projection(x))
        k = self.split(self.key_projection(x))
        v = self.split(self.value_projection(x))
        return self.output_projection(self.merge(self.weights(q, k, attention_mask).matmul(v)))


class MultiHeadAttention(AttentionBase):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1):
        super().__init__(hidden_dim, dropout)
        self.num_heads = num_heads

    def split(self, x):
        return torch.stack(x.chunk(self.num_heads, dim=-1), dim=1)

    def merge(self, x):
        return torch.cat(x.unbind(dim=1), dim=-1)
