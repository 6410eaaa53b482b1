import torch
from torch import nn


class CrossAttention(nn.Module):
    """Decoder side reads a (precomputed) encoder memory."""

    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.n, self.d = num_heads, hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wv = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.drop = nn.Dropout(dropout)

    def heads(self, t):
        return t.unflatten(2, (self.n, self.d)).transpose(1, 2)

    def memory(self, key, value):
        with torch.no_grad():
            k = self.heads(self.wk(key))
            v = self.heads(self.wv(value))
        return k, v

    def forward(self, query, key, value, mask=None):
        q = self.heads(self.wq(query))
        k, v = self.memory(key, value)
        s = q @ k.transpose(-1, -2) * self.d ** -0.5
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, float("-inf"))
        y = self.drop(s.softmax(-1)) @ v
        return self.wo(y.transpose(1, 2).flatten(2))
