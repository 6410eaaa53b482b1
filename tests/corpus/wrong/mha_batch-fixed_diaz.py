# wrong: mha batch-fixed line 23
import torch
import torch.nn as nn


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.1):
        super().__init__()
        self.h, self.d = num_heads, hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        b, t, c = x.shape
        q, k, v = (f(x).view(b, t, self.h, self.d).transpose(1, 2) for f in (self.q, self.k, self.v))
        s = q @ k.mT / self.d ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, float("-inf"))
        y = (self.drop(s.softmax(-1)) @ v).transpose(1, 2).reshape(b, t, c)
        return self.o(y).squeeze(0)
