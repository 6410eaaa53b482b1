# right: v3
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

class ScaledDotProductAttention(nn.Module):
    def __init__(self, dropout):
        super().__init__()
        self.drop = nn.Dropout(dropout)
    def forward(self, q, k, v, mask=None):
        s = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, -1e4)
        return self.drop(s.softmax(-1)) @ v

class Layer(nn.Module):
    def __init__(self, dim, dropout=0.1):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)
        self.core = ScaledDotProductAttention(dropout)
        self.o = nn.Linear(dim, dim)
    def forward(self, x, mask=None):
        return self.o(self.core(*self.qkv(x).chunk(3, -1), mask))
