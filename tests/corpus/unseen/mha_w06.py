import math

import torch
import torch.nn as nn


def transpose_qkv(X, num_heads):
    """(batch, steps, hidden) -> (batch * num_heads, steps, hidden / num_heads)"""
    X = X.reshape(X.shape[0], X.shape[1], num_heads, -1)
    X = X.permute(0, 2, 1, 3)
    return X.reshape(-1, X.shape[2], X.shape[3])


def transpose_output(X, num_heads):
    """The inverse of transpose_qkv."""
    X = X.reshape(-1, num_heads, X.shape[1], X.shape[2])
    X = X.permute(0, 2, 1, 3)
    return X.reshape(X.shape[0], X.shape[1], -1)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_o = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, attention_mask=None):
        steps = x.shape[1]
        queries = transpose_qkv(self.W_q(x), self.num_heads)
        keys = transpose_qkv(self.W_k(x), self.num_heads)
        values = transpose_qkv(self.W_v(x), self.num_heads)

        scores = torch.bmm(queries, keys.transpose(1, 2)) / math.sqrt(queries.shape[-1])
        if attention_mask is not None:
            if attention_mask.shape[1] == 1:
                # one mask for all heads: a copy per head
                attention_mask = attention_mask.repeat(self.num_heads, 1, 1, 1)
            mask = attention_mask.reshape(scores.shape[0], -1, steps)
            scores = scores.masked_fill(mask == 0, float("-inf"))
        attention = self.dropout(torch.softmax(scores, dim=-1))
        return self.W_o(transpose_output(torch.bmm(attention, values), self.num_heads))
