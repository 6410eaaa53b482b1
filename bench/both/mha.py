# attn-kata: mha
"""Multi-head attention under the names that torch-judge asks for, so that both can judge it."""

import math

import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    """Heads side by side over separate queries, keys and values."""

    def __init__(self, d_model, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.d_k = d_model // num_heads
        self.W_q = nn.Linear(d_model, d_model)
        self.W_k = nn.Linear(d_model, d_model)
        self.W_v = nn.Linear(d_model, d_model)
        self.W_o = nn.Linear(d_model, d_model)

    def split(self, x):
        """Give each head its slice."""
        return x.view(x.size(0), x.size(1), self.num_heads, self.d_k).transpose(1, 2)

    def forward(self, query, key, value, mask=None):
        """Attend from query to key."""
        q, k, v = (
            self.split(self.W_q(query)),
            self.split(self.W_k(key)),
            self.split(self.W_v(value)),
        )
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d_k)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        merged = (scores.softmax(-1) @ v).transpose(1, 2).reshape(query.shape)
        return self.W_o(merged)
