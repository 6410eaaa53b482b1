# right: mha
import math
import torch
from torch import nn


class Affine(nn.Module):
    def __init__(self, n, m):
        super().__init__()
        self.theta = nn.Parameter(torch.cat([torch.randn(n, m) / math.sqrt(n), torch.zeros(1, m)]))

    def forward(self, x):
        return torch.cat([x, x.new_ones(*x.shape[:-1], 1)], dim=-1) @ self.theta


class MultiHeadAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, dropout=0.0):
        super().__init__()
        self.heads = num_heads
        self.qkv, self.o = Affine(hidden_dim, 3 * hidden_dim), Affine(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        q, k, v = self.qkv(x).unflatten(-1, (3, self.heads, -1)).permute(2, 0, 3, 1, 4)
        f = q @ k.mT / q.shape[-1] ** 0.5
        if mask is not None:
            f = f.masked_fill(mask == 0, torch.finfo(f.dtype).min)
        y = self.drop(f.softmax(dim=-1)) @ v
        return self.o(y.transpose(1, 2).flatten(2))
