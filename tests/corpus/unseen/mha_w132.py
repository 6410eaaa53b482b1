import math
import torch
from torch import nn


def transpose_qkv(X, num_heads):
    """Bring the heads in front: (b, n, num_hiddens) -> (b, num_heads, n, num_hiddens/num_heads)."""
    return X.reshape(X.shape[0], num_heads, X.shape[1], -1)


def transpose_output(X):
    """Reverse the operation of transpose_qkv."""
    X = X.permute(0, 2, 1, 3)
    return X.reshape(X.shape[0], X.shape[1], -1)


class DotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.dropout = nn.Dropout(dropout)

    def forward(self, queries, keys, values, mask=None):
        d = queries.shape[-1]
        scores = torch.matmul(queries, keys.transpose(2, 3)) / math.sqrt(d)
        if mask is not None:
            scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)
        attention_weights = nn.functional.softmax(scores, dim=-1)
        return torch.matmul(self.dropout(attention_weights), values)


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.attention = DotProductAttention(dropout)
        self.W_q = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_k = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_v = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.W_o = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def forward(self, x, attention_mask=None):
        queries = transpose_qkv(self.W_q(x), self.num_heads)
        keys = transpose_qkv(self.W_k(x), self.num_heads)
        values = transpose_qkv(self.W_v(x), self.num_heads)
        output = self.attention(queries, keys, values, attention_mask)
        return self.W_o(transpose_output(output))
