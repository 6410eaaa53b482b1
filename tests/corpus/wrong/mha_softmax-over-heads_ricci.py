# wrong: mha softmax-over-heads line 26
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
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        b, t, d = x.shape
        q = self.q(x).view(b, t, self.n_heads, self.hd)
        k = self.k(x).view(b, t, self.n_heads, self.hd)
        v = self.v(x).view(b, t, self.n_heads, self.hd)
        # punteggi: (b, i, j, h)
        s = torch.einsum('bihd,bjhd->bijh', q, k) / self.hd ** 0.5
        if mask is not None:
            s = s.masked_fill(mask.permute(0, 2, 3, 1) == 0, -1e9)
        a = self.dropout(s.softmax(-1))
        return self.o(torch.einsum('bijh,bjhd->bihd', a, v).reshape(b, t, d))
