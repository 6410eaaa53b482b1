import math

import torch
import torch.nn as nn
from torch import Tensor


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, num_kv_heads: int, base: float = 10000):
        super().__init__()
        assert hidden_dim % num_heads == 0 and num_heads % num_kv_heads == 0
        self.n_heads = num_heads
        self.n_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.q = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.k = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.v = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.o = nn.Linear(num_heads * self.head_dim, hidden_dim)
        self.base = base

    def rope(self, x: Tensor, start: int) -> Tensor:
        half = self.head_dim // 2
        i = torch.arange(half, dtype=torch.float32, device=x.device)
        theta = self.base ** (-2 * i / self.head_dim)
        p = torch.arange(start, start + x.size(1), dtype=torch.float32, device=x.device)
        angle = (p[:, None] * theta)[:, None, :]  # (T, 1, half)
        cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def forward(self, x: Tensor, cache=None):
        B, T, _ = x.shape
        past = 0 if cache is None else cache[0].shape[1]
        # 这里的布局是 (B, T, heads, head_dim)
        q = self.rope(self.q(x).view(B, T, self.n_heads, self.head_dim), past)
        k = self.rope(self.k(x).view(B, T, self.n_kv_heads, self.head_dim), past)
        v = self.rope(self.v(x).view(B, T, self.n_kv_heads, self.head_dim), past)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=1)
            v = torch.cat([cache[1], v], dim=1)

        group = self.n_heads // self.n_kv_heads
        keys = k.repeat_interleave(group, dim=2)
        values = v.repeat_interleave(group, dim=2)
        scores = torch.einsum("bqhd,bkhd->bhqk", q, keys) / math.sqrt(self.head_dim)
        future = torch.ones(T, past + T, dtype=torch.bool, device=x.device).triu(past + 1)
        scores = scores.masked_fill(future, float("-inf"))
        out = torch.einsum("bhqk,bkhd->bqhd", torch.softmax(scores, -1), values)
        return self.o(out.reshape(B, T, -1)), (k, v)
