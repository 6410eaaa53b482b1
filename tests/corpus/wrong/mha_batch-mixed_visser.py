# wrong: mha batch-mixed line 19
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        B, T, D = x.shape
        q, k, v = (f(x).view(T, B, self.h, self.d).permute(1, 2, 0, 3) for f in (self.q, self.k, self.v))
        s = q @ k.transpose(2, 3) / self.d ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        y = self.dropout(torch.softmax(s, -1)) @ v
        return self.o(y.permute(2, 0, 1, 3).reshape(B, T, D))
