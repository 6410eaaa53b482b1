# wrong: gqa-rope rope-tables-misaligned line 17
# fair: rope-tables-misaligned 59
import math

import torch
from torch import nn


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base):
        super().__init__()
        self.dim, self.base = dim, base

    def forward(self, positions):
        inv_freq = 1.0 / (self.base ** (torch.arange(0, self.dim, 2, device=positions.device).float() / self.dim))
        freqs = torch.einsum("i,j->ij", positions.float(), inv_freq)
        return torch.repeat_interleave(freqs, 2, dim=-1)


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


class SelfAttentionBase(nn.Module):
    def scores(self, q, k):
        return torch.bmm(q, k.transpose(1, 2)) / math.sqrt(q.shape[-1])

    def normalize(self, s, q_start):
        rows = q_start + torch.arange(s.shape[1], device=s.device).unsqueeze(1)
        cols = torch.arange(s.shape[2], device=s.device).unsqueeze(0)
        s = s.masked_fill(cols > rows, float("-inf"))
        e = torch.exp(s - s.max(dim=-1, keepdim=True)[0])
        return e / e.sum(dim=-1, keepdim=True)


class GroupedQueryAttentionWithRope(SelfAttentionBase):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.heads, self.kv_heads, self.size = num_heads, num_kv_heads, hidden_dim // num_heads
        self.rotary = RotaryEmbedding(self.size, base)
        self.query = nn.Linear(hidden_dim, num_heads * self.size)
        self.key = nn.Linear(hidden_dim, num_kv_heads * self.size)
        self.value = nn.Linear(hidden_dim, num_kv_heads * self.size)
        self.dense = nn.Linear(num_heads * self.size, hidden_dim)

    def fold(self, t, heads):
        b, n, _ = t.shape
        return t.view(b, n, heads, self.size).transpose(1, 2)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q = self.fold(self.query(x), self.heads)
        k = self.fold(self.key(x), self.kv_heads)
        v = self.fold(self.value(x), self.kv_heads)
        past = cache[0].shape[2] if cache is not None else 0
        emb = self.rotary(torch.arange(past, past + n, device=x.device))
        cos, sin = emb.cos().to(x.dtype), emb.sin().to(x.dtype)
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        if cache is not None:
            k = torch.cat((cache[0], k), 2)
            v = torch.cat((cache[1], v), 2)
        rep = self.heads // self.kv_heads
        kk = k.repeat_interleave(rep, 1).flatten(0, 1)
        vv = v.repeat_interleave(rep, 1).flatten(0, 1)
        p = self.normalize(self.scores(q.flatten(0, 1), kk), past)
        y = torch.bmm(p, vv).view(b, self.heads, n, self.size).transpose(1, 2).reshape(b, n, -1)
        return self.dense(y), (k, v)
