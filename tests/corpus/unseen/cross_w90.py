import math

import torch
from torch import Tensor, nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def split(self, t: Tensor) -> Tensor:
        return t.view(t.size(0), -1, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None) -> Tensor:
        q = self.split(self.wq(query))
        k = self.split(self.wk(key))
        v = k if value is key else self.split(self.wv(value))
        scores = q @ k.transpose(2, 3) / math.sqrt(self.head_dim)
        if mask is not None:
            scores = scores.masked_fill(mask.unsqueeze(1) == 0, torch.finfo(scores.dtype).min)
        weights = self.drop(scores.softmax(-1))
        context = (weights @ v).transpose(1, 2).reshape(query.shape)
        return self.wo(context)
