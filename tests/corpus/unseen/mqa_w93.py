# Multi-query attention (Shazeer 2019): H query heads, a single K/V head.

import math

import torch
import torch.nn as nn


class MultiQueryAttention(nn.Module):

    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.num_heads = num_heads
        self.head_dim = hidden_dim // num_heads
        # queries keep the full width
        self.W_q = nn.Linear(hidden_dim, hidden_dim)
        # key and value: one head only
        self.W_k = nn.Linear(hidden_dim, self.head_dim)
        self.W_v = nn.Linear(hidden_dim, self.head_dim)
        self.W_o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, attention_mask=None):
        batch, length, hidden_dim = x.size()

        # ---- queries: (batch, H, length, head_dim)
        Q = self.W_q(x).view(batch, length, self.num_heads, self.head_dim)
        Q = Q.permute(0, 2, 1, 3)

        # ---- keys and values: (batch, 1, length, head_dim), broadcast over heads
        K = self.W_k(x)[:, None, :, :]
        V = self.W_v(x)[:, None, :, :]

        # ---- scores: (batch, H, length, length)
        scores = torch.matmul(Q, K.transpose(2, 3)) / math.sqrt(self.head_dim)

        # ---- 1 = may attend
        if attention_mask is not None:
            scores.masked_fill(attention_mask == 0, torch.finfo(scores.dtype).min)

        weights = torch.softmax(scores, dim=-1)

        # ---- context: (batch, H, length, head_dim) -> (batch, length, hidden_dim)
        context = torch.matmul(weights, V)
        context = context.permute(0, 2, 1, 3).contiguous().view(batch, length, hidden_dim)

        return self.W_o(context)
