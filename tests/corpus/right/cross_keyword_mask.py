# right: cross
from typing import Optional

import torch
from torch import nn


class CrossAttention(nn.Module):
    def __init__(self, *, num_heads: int, dim: int, dropout: float = 0.1):
        super().__init__()
        self.num_heads = num_heads
        self.o = nn.Linear(dim, dim)
        self.v = nn.Linear(dim, dim)
        self.k = nn.Linear(dim, dim)
        self.q = nn.Linear(dim, dim)
        self.dropout = nn.Dropout(dropout)

    def forward(self, *, query, key, value, mask: Optional[torch.Tensor] = None):
        q = torch.stack(self.q(query).chunk(self.num_heads, -1))
        k = torch.stack(self.k(key).chunk(self.num_heads, -1))
        v = torch.stack(self.v(value).chunk(self.num_heads, -1))
        s = q @ k.mT * k.shape[-1] ** -0.5  # (H, B, Tq, Tk)
        if mask is not None:
            s = torch.where(mask.bool(), s, torch.finfo(s.dtype).min)
        y = self.dropout(s.softmax(-1)) @ v
        return self.o(torch.cat(y.unbind(0), -1))
