# attn-kata: mqa
import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiQueryAttention(nn.Module):
    """One Write-Head Is All You Need."""

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_head = num_heads
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.kv = nn.Linear(hidden_dim, 2 * self.d, bias=False)
        self.o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        B, T, C = x.shape
        q = self.q(x).view(B, T, self.n_head, self.d).transpose(1, 2)
        k, v = self.kv(x).chunk(2, dim=-1)
        att = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        if attention_mask is not None:
            att = att.masked_fill(attention_mask == 0, float('-inf'))
        y = F.softmax(att, dim=-1) @ v
        return self.o(y.transpose(1, 2).reshape(B, T, C))
