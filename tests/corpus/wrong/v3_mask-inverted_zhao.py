# wrong: v3 mask-inverted line 19
import math
import torch
from torch import nn


class SelfAttentionV3(nn.Module):
    def __init__(self, dim, dropout=0.1):
        super().__init__()
        self.dim = dim
        self.proj = nn.Linear(dim, dim * 3)
        self.out = nn.Linear(dim, dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, X, mask=None):
        Q, K, V = self.proj(X).split(self.dim, dim=-1)
        w = Q @ K.transpose(-1, -2) / math.sqrt(self.dim)
        if mask is not None:
            w = w.masked_fill(mask == 1, float("-inf"))
        w = self.drop(torch.softmax(w, dim=-1))
        return self.out(w @ V)
