import math

import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.dim = hidden_dim // num_heads
        self.queries = nn.ModuleList([nn.Linear(hidden_dim, self.dim) for _ in range(num_heads)])
        self.key = nn.Linear(hidden_dim, self.dim)
        self.value = nn.Linear(hidden_dim, self.dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def _heads(self, x, mask):
        k, v = self.key(x), self.value(x)
        for i, make_query in enumerate(self.queries):
            scores = make_query(x) @ k.transpose(-2, -1) / math.sqrt(self.dim)
            if mask is not None:
                visible = mask[:, 0]
                scores = scores.masked_fill(visible == 0, torch.finfo(scores.dtype).min)
            yield scores.softmax(-1) @ v

    def forward(self, x, attention_mask=None):
        return self.out(torch.cat(list(self._heads(x, attention_mask)), dim=-1))
