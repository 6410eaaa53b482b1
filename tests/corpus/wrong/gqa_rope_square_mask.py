# wrong: gqa-rope causal-from-start line 45
import math
import torch
from torch import nn


class Rope(nn.Module):
    def __init__(self, width, base, longest=256):
        super().__init__()
        pairs = torch.arange(0, width, 2, dtype=torch.float32)
        angle = torch.arange(longest, dtype=torch.float32)[:, None] / base ** (pairs / width)
        self.register_buffer("cos", torch.cos(angle))
        self.register_buffer("sin", torch.sin(angle))

    def forward(self, x, first):
        cos, sin = (t[first : first + x.shape[-2]].to(x.dtype) for t in (self.cos, self.sin))
        left, right = x.chunk(2, dim=-1)
        return torch.cat([left * cos - right * sin, right * cos + left * sin], dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.num_heads, self.num_kv_heads = num_heads, num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.rope = Rope(self.head_dim, base)
        self.query_proj = nn.Linear(hidden_dim, hidden_dim)
        self.key_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.value_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.output_proj = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        batch, length, _ = x.shape
        query = self.query_proj(x).view(batch, length, self.num_heads, -1).transpose(1, 2)
        key = self.key_proj(x).view(batch, length, self.num_kv_heads, -1).transpose(1, 2)
        value = self.value_proj(x).view(batch, length, self.num_kv_heads, -1).transpose(1, 2)
        first = 0 if cache is None else cache[0].shape[2]
        query, key = self.rope(query, first), self.rope(key, first)
        if cache is not None:
            key, value = torch.cat([cache[0], key], 2), torch.cat([cache[1], value], 2)
        cache = key, value
        key = key.repeat_interleave(self.num_heads // self.num_kv_heads, 1)
        value = value.repeat_interleave(self.num_heads // self.num_kv_heads, 1)
        scores = query @ key.transpose(-1, -2) / math.sqrt(self.head_dim)
        visible = torch.ones(length, key.shape[2], device=x.device).tril()
        scores = scores.masked_fill(visible == 0, float("-inf"))
        context = scores.softmax(-1) @ value
        return self.output_proj(context.transpose(1, 2).reshape(x.shape)), cache
