# wrong: mha mask-transposed line 25
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
        b, t, c = x.shape
        q = self.q(x).reshape(b, t, self.h, self.d).permute(0, 2, 1, 3)
        k = self.k(x).reshape(b, t, self.h, self.d).permute(0, 2, 3, 1)
        v = self.v(x).reshape(b, t, self.h, self.d).permute(0, 2, 1, 3)
        s = (q @ k).mul(self.d ** -0.5)
        if mask is not None:
            m = mask.expand(b, mask.size(1), t, t)
            s = s.masked_fill(m.transpose(2, 3) == 0, float("-inf"))
        y = self.dropout(s.softmax(dim=-1)) @ v
        return self.o(y.permute(0, 2, 1, 3).reshape(b, t, c))
