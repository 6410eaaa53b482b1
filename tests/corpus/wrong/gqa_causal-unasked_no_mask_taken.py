# wrong: gqa causal-unasked line 24
import torch
from torch import nn


class Grouped(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads):
        super().__init__()
        self.h, self.g, self.d = n_heads, n_kv_heads, dim // n_heads
        self.wq = nn.Linear(dim, dim)
        self.wk = nn.Linear(dim, self.g * self.d)
        self.wv = nn.Linear(dim, self.g * self.d)
        self.wo = nn.Linear(dim, dim)

    def forward(self, x, past_kv=None):
        n, t, dim = x.shape
        q = self.wq(x).view(n, t, self.h, self.d).transpose(1, 2)
        k = self.wk(x).view(n, t, self.g, self.d).transpose(1, 2)
        v = self.wv(x).view(n, t, self.g, self.d).transpose(1, 2)
        k = k.repeat_interleave(self.h // self.g, dim=1)
        v = v.repeat_interleave(self.h // self.g, dim=1)
        scores = q @ k.transpose(2, 3) / self.d**0.5
        ahead = torch.ones(t, t, device=x.device, dtype=torch.bool).triu(diagonal=1)
        scores = scores.masked_fill(ahead, float("-inf"))
        out = scores.softmax(dim=-1) @ v
        return self.wo(out.transpose(1, 2).reshape(n, t, dim))
