import math

import torch
from torch import nn


class RotaryEmbedding:
    def __init__(self, dim, base):
        self.dim, self.base = dim, base

    def cos_sin(self, positions, dtype):
        inv_freq = 1.0 / (self.base ** (torch.arange(0, self.dim, 2, device=positions.device).double() / self.dim))
        angles = positions.double()[:, None] * inv_freq[None, :]
        return angles.cos().to(dtype), angles.sin().to(dtype)

    @staticmethod
    def apply(x, cos, sin):
        a, b = torch.chunk(x, 2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.query = nn.Linear(hidden_dim, num_heads * self.head_dim)
        self.key = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.value = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.dense = nn.Linear(num_heads * self.head_dim, hidden_dim)
        self.rope = RotaryEmbedding(self.head_dim, base)

    def forward(self, x, cache=None):
        batch_size, seq_len, _ = x.size()
        q = self.query(x).view(batch_size, seq_len, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.key(x).view(batch_size, seq_len, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.value(x).view(batch_size, seq_len, self.num_kv_heads, self.head_dim).transpose(1, 2)

        past_len = cache["k"].size(1) if cache is not None else 0
        positions = torch.arange(past_len, past_len + seq_len, device=x.device)
        cos, sin = self.rope.cos_sin(positions, x.dtype)
        q = self.rope.apply(q, cos, sin)
        k = self.rope.apply(k, cos, sin)

        if cache is not None:
            k = torch.cat([cache["k"], k], dim=2)
            v = torch.cat([cache["v"], v], dim=2)
        new_cache = {"k": k, "v": v}

        n_rep = self.num_heads // self.num_kv_heads
        k = k.repeat_interleave(n_rep, dim=1)
        v = v.repeat_interleave(n_rep, dim=1)
        scores = torch.matmul(q, k.transpose(-2, -1)) / math.sqrt(self.head_dim)
        total = k.size(-2)
        causal = torch.ones(seq_len, total, dtype=torch.bool, device=x.device).tril(total - seq_len)
        scores = scores.masked_fill(~causal, float("-inf"))
        context = torch.matmul(torch.softmax(scores, dim=-1), v)
        context = context.transpose(1, 2).contiguous().view(batch_size, seq_len, -1)
        return self.dense(context), new_cache
