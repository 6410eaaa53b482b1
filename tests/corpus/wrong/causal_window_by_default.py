# wrong: causal
import math
from dataclasses import dataclass, field
from types import SimpleNamespace
import torch
from torch import nn
import torch.nn.functional as F

class CausalSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, block_size, window=4, dropout=0.1):
        super().__init__()
        self.window = window
        self.h = num_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        b, t, c = x.shape
        q = self.wq(x).view(b, t, self.h, self.d).transpose(1, 2)
        k = self.wk(x).view(b, t, self.h, self.d).transpose(1, 2)
        v = self.wv(x).view(b, t, self.h, self.d).transpose(1, 2)
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        i = torch.arange(t, device=x.device)
        ok = (i[None] <= i[:, None]) & (i[None] > i[:, None] - self.window)
        scores = scores.masked_fill(~ok, -1e4)
        w = self.drop(scores.softmax(-1))
        out = (w @ v).transpose(1, 2).reshape(b, t, c)
        return self.wo(out)
