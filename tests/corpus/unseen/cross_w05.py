import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, hidden_dim)
        self.v_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def _shape(self, t):
        return t.view(t.shape[0], -1, self.num_heads, self.head_dim).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        q = self.q_proj(query) * self.head_dim ** -0.5
        k = self.k_proj(key)
        v = k if value is key else self.v_proj(value)  # encoder memory: once is enough
        q, k, v = self._shape(q), self._shape(k), self._shape(v)

        scores = torch.matmul(q, k.transpose(-1, -2))
        if mask is not None:
            scores = scores.masked_fill((mask == 0)[:, None, :, :], float("-inf"))
        ctx = torch.matmul(self.dropout(scores.softmax(-1)), v)
        return self.out_proj(ctx.transpose(1, 2).flatten(2))
