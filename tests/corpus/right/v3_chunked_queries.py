# right: v3
import torch
from torch import nn

CHUNK = 2


class ChunkedSelfAttention(nn.Module):
    """Queries in pieces of two, to save memory."""

    def __init__(self, dim, dropout=0.1):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, dim, bias=False) for _ in range(3))
        self.out = nn.Linear(dim, dim, bias=False)
        self.dropout = nn.Dropout(dropout)
        self.dim = dim

    def forward(self, x, mask=None):
        k, v = self.k(x), self.v(x)
        pieces = []
        for start in range(0, x.shape[1], CHUNK):
            stop = start + CHUNK
            q = self.q(x[:, start:stop])
            s = q @ k.transpose(1, 2) / self.dim ** 0.5
            if mask is not None:
                s = s + (1.0 - mask[:, start:stop].to(s.dtype)) * torch.finfo(s.dtype).min
            pieces.append(self.dropout(torch.softmax(s, -1)) @ v)
        return self.out(torch.cat(pieces, dim=1))
