# wrong: kvcache causal-from-start line 28
# fair: causal-from-start 29
import math
import torch
from torch import nn


class CachedSelfAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.n_heads = num_heads
        self.d = hidden_dim // num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q = self.wq(x).reshape(B, T, self.n_heads, self.d).transpose(1, 2)
        k = self.wk(x).reshape(B, T, self.n_heads, self.d).transpose(1, 2)
        v = self.wv(x).reshape(B, T, self.n_heads, self.d).transpose(1, 2)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        S = k.size(2)
        att = q @ k.transpose(-2, -1) / math.sqrt(self.d)
        block = torch.triu(torch.ones(T, T, device=x.device), diagonal=1).bool()
        att = att.masked_fill(block[None, None], -1e9)
        p = att.softmax(-1)
        y = (p @ v).transpose(1, 2).reshape(B, T, C)
        return self.wo(y), (k, v)
