# wrong: mqa heads-view-without-transpose line 20, scale-by-hidden-dim line 23
import math

import torch
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, hidden_dim)
        self.k_proj = nn.Linear(hidden_dim, self.head_dim)
        self.v_proj = nn.Linear(hidden_dim, self.head_dim)
        self.o_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        batch, length, width = x.shape
        q = self.q_proj(x).view(batch, self.num_heads, length, self.head_dim)
        k = self.k_proj(x).unsqueeze(1)
        v = self.v_proj(x).unsqueeze(1)
        scores = q @ k.transpose(-2, -1) / math.sqrt(width)
        if attention_mask is not None:
            scores = scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)
        weights = scores.softmax(dim=-1)
        context = weights @ v
        merged = context.transpose(1, 2).reshape(batch, length, width)
        return self.o_proj(merged)
