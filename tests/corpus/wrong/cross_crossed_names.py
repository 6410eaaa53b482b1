# wrong: cross query-key-swapped line 20, mask-after-softmax line 25
import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.key_proj = nn.Linear(hidden_dim, hidden_dim)
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.value_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def _heads(self, t):
        return t.unflatten(-1, (self.num_heads, -1)).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q, k = self._heads(self.key_proj(query)), self._heads(self.query_proj(key))
        v = self._heads(self.value_proj(value))
        scores = q @ k.mT / q.size(-1) ** 0.5
        weights = scores.softmax(-1)
        if mask is not None:
            weights = weights.masked_fill(mask[:, None] == 0, 0.0)
        return self.out_proj((self.dropout(weights) @ v).transpose(1, 2).flatten(2))
