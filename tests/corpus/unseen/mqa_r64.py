"""Multi-query attention. One nn.Linear per query head, a loop over the heads, and an output
projection applied slice by slice (no concat is ever materialised)."""
import math

import torch
import torch.nn.functional as F
from torch import nn


class MultiQueryAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        assert hidden_dim % num_heads == 0
        self.H = num_heads
        self.hd = hidden_dim // num_heads
        self.q_heads = nn.ModuleList([nn.Linear(hidden_dim, self.hd) for _ in range(num_heads)])
        self.k = nn.Linear(hidden_dim, self.hd)
        self.v = nn.Linear(hidden_dim, self.hd)
        self.o = nn.Linear(hidden_dim, hidden_dim)

    def _head_mask(self, mask, h):
        if mask is None:
            return None
        # stride 0 along the head axis when the mask has one head only
        idx = h if mask.size(1) > 1 else 0
        return mask[:, idx] == 0

    def forward(self, x, attention_mask=None):
        kT = self.k(x).transpose(1, 2).contiguous()
        v = self.v(x)
        rs = 1.0 / math.sqrt(self.hd)
        acc = None
        for h, proj in enumerate(self.q_heads):
            s = torch.bmm(proj(x), kT) * rs
            dead = self._head_mask(attention_mask, h)
            if dead is not None:
                s = s.masked_fill(dead, float("-inf"))
            ctx = torch.bmm(s.softmax(2), v)
            part = F.linear(ctx, self.o.weight[:, h * self.hd : (h + 1) * self.hd])
            acc = part if acc is None else acc + part
        return acc + self.o.bias
