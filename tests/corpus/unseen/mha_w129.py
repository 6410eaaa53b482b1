import torch
from torch import nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.h = num_heads
        self.dk = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def fold(self, t):
        n, l, _ = t.shape
        return t.view(n, l, self.h, self.dk).transpose(1, 2).reshape(n * self.h, l, self.dk)

    def unfold(self, t, n):
        return t.view(n, self.h, -1, self.dk).transpose(1, 2).flatten(2)

    def bias(self, mask, x):
        n, l, _ = x.shape
        b = x.new_zeros(n, self.h, l, l)
        if mask is not None:
            b = b.masked_fill(mask == 0, torch.finfo(x.dtype).min)
        return b.transpose(0, 1).reshape(n * self.h, l, l)

    def forward(self, x, attention_mask=None):
        q, k, v = map(self.fold, (self.q(x), self.k(x), self.v(x)))
        s = torch.baddbmm(self.bias(attention_mask, x), q, k.transpose(1, 2), alpha=self.dk ** -0.5)
        y = torch.bmm(self.drop(s.softmax(-1)), v)
        return self.o(self.unfold(y, x.size(0)))
