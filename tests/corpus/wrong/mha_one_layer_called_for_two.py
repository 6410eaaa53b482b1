# wrong: mha values-from-keys line 18
import math
import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.h = num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.kv_proj = nn.Linear(hidden_dim, hidden_dim)
        self.out = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        B, T, D = x.shape
        q = self.q_proj(x).view(B, T, self.h, -1).transpose(1, 2)
        k = v = self.kv_proj(x).view(B, T, self.h, -1).transpose(1, 2)
        scores = q @ k.mT / math.sqrt(q.shape[-1])
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, -1e9)
        w = scores.softmax(-1)
        return self.out((w @ v).transpose(1, 2).reshape(B, T, D))
