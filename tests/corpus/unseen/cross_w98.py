import torch
import torch.nn as nn


class CrossAttention(nn.Module):
    # d2l-style: heads go to the batch dimension
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.W_q = nn.Linear(hidden_dim, hidden_dim)
        self.W_k = nn.Linear(hidden_dim, hidden_dim)
        self.W_v = nn.Linear(hidden_dim, hidden_dim)
        self.W_o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)
        self.inv_sqrt = num_heads ** -0.5

    def transpose_qkv(self, X):
        X = X.reshape(X.shape[0], X.shape[1], self.num_heads, -1)
        X = X.permute(0, 2, 1, 3)
        return X.reshape(-1, X.shape[2], X.shape[3])

    def transpose_output(self, X):
        X = X.reshape(-1, self.num_heads, X.shape[1], X.shape[2])
        X = X.permute(0, 2, 1, 3)
        return X.reshape(X.shape[0], X.shape[1], -1)

    def forward(self, query, key, value, mask=None):
        queries = self.transpose_qkv(self.W_q(query))
        keys = self.transpose_qkv(self.W_k(key))
        values = self.transpose_qkv(self.W_v(value))
        if mask is not None:
            # sample b's mask for each of its heads
            mask = torch.repeat_interleave(mask, repeats=self.num_heads, dim=0)
        scores = torch.bmm(queries, keys.transpose(1, 2)) * self.inv_sqrt
        if mask is not None:
            scores = scores.masked_fill(mask == 0, float('-inf'))
        weights = nn.functional.softmax(scores, dim=-1)
        return self.W_o(self.transpose_output(torch.bmm(self.dropout(weights), values)))
