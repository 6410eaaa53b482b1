import math
import torch
import torch.nn as nn


class SelfAttentionV3(nn.Module):
    def __init__(self, hidden_dim, dropout=0.1):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.qkv = nn.Linear(hidden_dim, hidden_dim * 3)
        self.out = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        q, k, v = torch.split(self.qkv(x), self.hidden_dim, dim=-1)
        # (b, n, n)
        sim = q @ k.transpose(-1, -2) / math.sqrt(self.hidden_dim)
        if attention_mask is not None:
            sim.masked_fill(attention_mask == 0, float("-inf"))
        p = self.drop(sim.softmax(dim=-1))
        return self.out(p @ v)
