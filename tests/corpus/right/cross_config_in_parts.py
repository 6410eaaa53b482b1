# right: cross
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

class CrossAttention(nn.Module):
    def __init__(self, cfg):
        super().__init__()
        hidden_dim, num_heads, dropout = cfg.decoder.d_model, cfg.decoder.nhead, cfg.decoder.dropout
        self.h = num_heads
        self.q = nn.Linear(hidden_dim, hidden_dim)
        self.k = nn.Linear(hidden_dim, hidden_dim)
        self.v = nn.Linear(hidden_dim, hidden_dim)
        self.o = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def heads(self, x):
        return x.unflatten(-1, (self.h, -1)).transpose(1, 2)

    def forward(self, x, memory, mask=None):
        q, k, v = self.heads(self.q(x)), self.heads(self.k(memory)), self.heads(self.v(memory))
        s = q @ k.mT / q.size(-1) ** 0.5
        if mask is not None:
            s = s.masked_fill(mask.unsqueeze(1) == 0, -1e4)
        p = self.drop(s.softmax(-1))
        out = (p @ v).transpose(1, 2).flatten(2)
        return self.o(out)
