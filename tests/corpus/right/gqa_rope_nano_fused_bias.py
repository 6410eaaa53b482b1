# right: gqa-rope
import math

import torch
import torch.nn as nn
from torch.nn import functional as F


class GroupedQueryAttentionWithRope(nn.Module):

    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        assert num_heads % num_kv_heads == 0
        self.n_head = num_heads
        self.n_kv = num_kv_heads
        self.hs = hidden_dim // num_heads
        self.base = base
        # key, query, value projections for all heads, but in a batch
        self.c_attn = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.hs)
        # output projection
        self.c_proj = nn.Linear(num_heads * self.hs, hidden_dim)

    def rope(self, t, start):
        # t: (B, nh, T, hs)
        half = self.hs // 2
        pos = torch.arange(start, start + t.size(2), device=t.device, dtype=torch.float32)
        freq = torch.exp(-math.log(self.base) * torch.arange(half, device=t.device, dtype=torch.float32) / half)
        ang = torch.outer(pos, freq)
        c, s = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
        a, b = t.split(half, dim=-1)
        return torch.cat([a * c - b * s, b * c + a * s], dim=-1)

    def forward(self, x, cache=None):
        B, T, C = x.size()
        q, k, v = self.c_attn(x).split([self.n_head * self.hs, self.n_kv * self.hs, self.n_kv * self.hs], dim=2)
        q = q.view(B, T, self.n_head, self.hs).transpose(1, 2) # (B, nh, T, hs)
        k = k.view(B, T, self.n_kv, self.hs).transpose(1, 2) # (B, nkv, T, hs)
        v = v.view(B, T, self.n_kv, self.hs).transpose(1, 2) # (B, nkv, T, hs)

        past = 0 if cache is None else cache[0].size(2)
        q, k = self.rope(q, past), self.rope(k, past)
        if cache is not None:
            pk, pv = cache
            k = torch.cat((pk, k), dim=2)
            v = torch.cat((pv, v), dim=2)
        cache = (k, v)

        rep = self.n_head // self.n_kv
        k = k.repeat_interleave(rep, dim=1)
        v = v.repeat_interleave(rep, dim=1)

        S = k.size(2)
        att = (q @ k.transpose(-2, -1)) * (1.0 / math.sqrt(k.size(-1)))
        bias = torch.tril(torch.ones(S, S, device=x.device)).view(1, 1, S, S)
        att = att.masked_fill(bias[:, :, S-T:S, :S] == 0, float('-inf'))
        att = F.softmax(att, dim=-1)
        y = att @ v # (B, nh, T, S) x (B, nh, S, hs) -> (B, nh, T, hs)
        y = y.transpose(1, 2).contiguous().view(B, T, self.n_head * self.hs)
        return self.c_proj(y), cache
