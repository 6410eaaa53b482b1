# right: mqa
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor, nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int) -> None:
        super().__init__()
        self.c, self.h = hidden_dim, num_heads
        self.d = hidden_dim // num_heads
        self.W = nn.Parameter(torch.empty(2 * self.c + 2 * self.d, self.c))
        nn.init.normal_(self.W, std=hidden_dim**-0.5)

    def forward(self, x: Tensor, attention_mask: Tensor | None = None) -> Tensor:
        c, d = self.c, self.d
        w_o = self.W[:c]
        w_v = self.W[c : c + d]
        w_q = self.W[c + d : 2 * c + d]
        w_k = self.W[2 * c + d :]
        q = F.linear(x, w_q).unflatten(-1, (self.h, d)).transpose(1, 2)
        k = F.linear(x, w_k)[:, None]
        v = F.linear(x, w_v)[:, None]
        a = q @ k.transpose(-1, -2) / math.sqrt(d)
        if attention_mask is not None:
            a = a.masked_fill(attention_mask == 0, float("-inf"))
        y = F.softmax(a, dim=-1) @ v
        return F.linear(y.transpose(1, 2).flatten(-2), w_o)
