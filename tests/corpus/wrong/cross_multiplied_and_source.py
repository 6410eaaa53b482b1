# wrong: cross cross-wrong-source line 24, mask-multiplied line 28
import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.num_heads = num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, hidden_dim)
        self.Wv = nn.Linear(hidden_dim, hidden_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def fold(self, x):
        b, t, c = x.shape
        x = x.reshape(b, t, self.num_heads, c // self.num_heads)
        return x.transpose(1, 2).reshape(b * self.num_heads, t, -1)

    def forward(self, query, key, value, mask=None):
        b, t, c = query.shape
        Q = self.fold(self.Wq(query))
        K = self.fold(self.Wk(value))
        V = self.fold(self.Wv(value))
        S = torch.bmm(Q, K.transpose(1, 2)) / Q.shape[-1] ** 0.5
        if mask is not None:
            S = S * mask.repeat_interleave(self.num_heads, 0).to(S.dtype)
        O = torch.bmm(self.dropout(S.softmax(2)), V)
        O = O.view(b, self.num_heads, t, -1).transpose(1, 2).reshape(b, t, c)
        return self.Wo(O)
