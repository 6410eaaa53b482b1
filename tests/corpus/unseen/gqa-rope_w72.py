# attn-kata: gqa-rope
import math

import torch
from torch import nn


class Rotary(nn.Module):
    def __init__(self, head_dim, base):
        super().__init__()
        self.head_dim = head_dim
        self.base = base

    def forward(self, start, n_pos, device, dtype):
        dtype = torch.float64 if dtype == torch.float64 else torch.float32
        i = torch.arange(self.head_dim // 2, device=device, dtype=dtype)
        freq = self.base ** (-i / self.head_dim)
        pos = torch.arange(start, start + n_pos, device=device, dtype=dtype)
        angle = pos[:, None] * freq[None, :]
        angle = torch.cat([angle, angle], dim=-1)
        return angle.cos(), angle.sin()


def rotate_half(x):
    first, second = x.chunk(2, dim=-1)
    return torch.cat([-second, first], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.key = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.value = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.output = nn.Linear(num_heads * self.head_dim, hidden_dim)
        self.rotary = Rotary(self.head_dim, base)

    def forward(self, x, cache=None):
        n_seq, n_new, _ = x.shape
        q = self.query(x).view(n_seq, n_new, self.num_heads, -1).transpose(1, 2)
        k = self.key(x).view(n_seq, n_new, self.num_kv_heads, -1).transpose(1, 2)
        v = self.value(x).view(n_seq, n_new, self.num_kv_heads, -1).transpose(1, 2)

        n_old = 0 if cache is None else cache[0].shape[2]
        cos, sin = self.rotary(n_old, n_new, x.device, x.dtype)
        q = (q * cos + rotate_half(q) * sin).to(v.dtype)
        k = (k * cos + rotate_half(k) * sin).to(v.dtype)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)

        share = self.num_heads // self.num_kv_heads
        k_all = k.repeat_interleave(share, dim=1)
        v_all = v.repeat_interleave(share, dim=1)
        sim = q @ k_all.transpose(2, 3) / math.sqrt(self.head_dim)
        row = torch.arange(n_old, n_old + n_new, device=x.device)
        col = torch.arange(n_old + n_new, device=x.device)
        sim = sim.masked_fill(col[None] > row[:, None], float("-inf"))
        out = (sim.softmax(-1) @ v_all).transpose(1, 2).flatten(2)
        return self.output(out), (k, v)
