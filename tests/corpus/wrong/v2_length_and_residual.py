# wrong: v2 scale-by-length line 17, residual-added line 20
import math
import torch
import torch.nn as nn
from torch.nn import functional as F


class SelfAttentionV2(nn.Module):
    def __init__(self, n_embd, bias=True):
        super().__init__()
        self.c_attn = nn.Linear(n_embd, 3 * n_embd, bias=bias)
        self.n_embd = n_embd

    def forward(self, x):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split(self.n_embd, dim=2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(1)))
        att = F.softmax(att, dim=-1)
        y = att @ v
        return x + y
