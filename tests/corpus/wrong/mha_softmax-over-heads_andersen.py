# wrong: mha softmax-over-heads line 15
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, dim, n_heads, dropout=0.1):
        super().__init__()
        self.n_heads = n_heads
        self.hd = dim // n_heads
        self.q = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.o = nn.Linear(dim, dim)
        self.softmax = nn.Softmax(dim=1)
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        b, t, d = x.shape
        q = self.q(x).view(b, t, self.n_heads, self.hd).transpose(1, 2)
        k = self.k(x).view(b, t, self.n_heads, self.hd).transpose(1, 2)
        v = self.v(x).view(b, t, self.n_heads, self.hd).transpose(1, 2)
        s = q @ k.transpose(2, 3) / self.hd ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, -1e9)
        a = self.dropout(self.softmax(s))
        return self.o((a @ v).transpose(1, 2).reshape(b, t, d))
