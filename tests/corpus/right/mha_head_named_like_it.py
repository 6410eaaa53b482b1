# right: mha
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

class MultiHeadAttentionHead(nn.Module):
    def __init__(self, dim, d):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(dim, d) for _ in range(3))
    def forward(self, x, mask=None):
        s = self.q(x) @ self.k(x).mT / self.q.out_features ** 0.5
        if mask is not None:
            s = s.masked_fill(mask == 0, -1e4)
        return s.softmax(-1) @ self.v(x)

class Attn(nn.Module):
    def __init__(self, dim, num_heads):
        super().__init__()
        self.parts = nn.ModuleList(MultiHeadAttentionHead(dim, dim // num_heads) for _ in range(num_heads))
        self.o = nn.Linear(dim, dim)
    def forward(self, x, mask=None):
        masks = [None] * len(self.parts) if mask is None else mask.expand(-1, len(self.parts), -1, -1).unbind(1)
        return self.o(torch.cat([p(x, m) for p, m in zip(self.parts, masks)], -1))
