import math
import torch
from torch import nn


class CachedCrossAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads):
        super().__init__()
        self.heads = num_heads
        self.wq = nn.Linear(hidden_dim, hidden_dim)
        self.wk = nn.Linear(hidden_dim, hidden_dim)
        self.wv = nn.Linear(hidden_dim, hidden_dim)
        self.wo = nn.Linear(hidden_dim, hidden_dim)
        self.static = None

    def forward(self, x, memory, memory_lengths, cache=None):
        b, t, c = x.shape
        d = c // self.heads

        first_step = cache is None
        if first_step:
            s = memory.size(1)
            k = self.wk(memory).view(b, s, self.heads, d).transpose(1, 2)
            v = self.wv(memory).view(b, s, self.heads, d).transpose(1, 2)
            pad = torch.arange(s, device=x.device).expand(b, s) >= memory_lengths.view(b, 1)
            self.static = (k, v, pad.view(b, 1, 1, s))
            cache = {"step": 0}
        k, v, pad = self.static

        q = self.wq(x).view(b, t, self.heads, d).transpose(1, 2)
        att = torch.matmul(q, k.transpose(2, 3)) / math.sqrt(d)
        att = att.masked_fill(pad, float("-inf"))
        att = torch.softmax(att, dim=3)
        y = torch.matmul(att, v)
        y = y.transpose(1, 2).contiguous().view(b, t, c)
        return self.wo(y), {"step": cache["step"] + t}
