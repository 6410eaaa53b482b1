# right: cross
from __future__ import annotations

import math
from collections import OrderedDict
from typing import Optional

import torch
from torch import nn, Tensor


class CrossAttention(nn.Module):
    def __init__(self, *, hidden_dim: int, num_heads: int, dropout: float = 0.1) -> None:
        super().__init__()
        self.h = num_heads
        self.W = nn.ModuleDict(OrderedDict((r, nn.Linear(hidden_dim, hidden_dim)) for r in "okvq"))
        self.regular = nn.Dropout(dropout)

    def forward(self, query: Tensor, key: Tensor, value: Tensor, *, mask: Optional[Tensor] = None) -> Tensor:
        h = self.h
        q = torch.stack(self.W["q"](query).chunk(h, -1), dim=1)
        k = torch.stack(self.W["k"](key).chunk(h, -1), dim=1)
        v = torch.stack(self.W["v"](value).chunk(h, -1), dim=1)
        s = torch.matmul(q, k.mT).mul(1 / math.sqrt(q.size(-1)))
        if mask is not None:
            s = s + (mask == 0).unsqueeze(1).to(s.dtype) * -1e9
        p = self.regular(torch.softmax(s, -1))
        return self.W["o"](torch.cat(torch.matmul(p, v).unbind(1), dim=-1))
