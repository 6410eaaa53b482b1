# wrong: v4 detached line 25
# fair: detached 25 26
import math
import torch
from torch import nn


class SelfAttentionV4(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, 3 * hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.last_attn = None  # for visualisation

    def _weights(self, q, k, mask):
        s = q @ k.transpose(-2, -1) / math.sqrt(self.hidden_dim)
        if mask is not None:
            s = s.masked_fill(mask == 0, -1e9)
        return s.softmax(dim=-1)

    def forward(self, x, attention_mask=None):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        self.last_attn = self._weights(q, k, attention_mask).detach()
        return self.o(self.dropout(self.last_attn) @ v)
