# wrong: gqa-rope rope-wrong-frequencies line 26, scale-by-hidden-dim line 37
import math

import torch
import torch.nn as nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.hidden_dim = hidden_dim
        self.num_heads, self.num_kv_heads, self.base = num_heads, num_kv_heads, base
        self.head_dim = hidden_dim // num_heads
        self.fc_q = nn.Linear(hidden_dim, hidden_dim)
        self.fc_k = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.fc_v = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.fc_o = nn.Linear(hidden_dim, hidden_dim)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        q = self.fc_q(x).view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.fc_k(x).view(b, t, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.fc_v(x).view(b, t, self.num_kv_heads, self.head_dim).transpose(1, 2)
        p = 0 if cache is None else cache[0].shape[2]
        pairs = torch.arange(self.head_dim // 2, device=x.device).double()
        inv_freq = self.base ** (-pairs / self.head_dim)
        angles = torch.arange(p, p + t, device=x.device).double()[:, None] * inv_freq
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        q1, q2 = q.chunk(2, dim=-1)
        q = torch.cat([q1 * cos - q2 * sin, q2 * cos + q1 * sin], dim=-1)
        k1, k2 = k.chunk(2, dim=-1)
        k = torch.cat([k1 * cos - k2 * sin, k2 * cos + k1 * sin], dim=-1)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        r = self.num_heads // self.num_kv_heads
        scores = q @ k.repeat_interleave(r, 1).transpose(2, 3)
        scores = scores / math.sqrt(self.hidden_dim)
        seen = torch.ones(t, p + t, device=x.device).tril(p)
        weights = scores.masked_fill(seen == 0, float("-inf")).softmax(-1)
        y = weights @ v.repeat_interleave(r, 1)
        return self.fc_o(y.transpose(1, 2).reshape(b, t, -1)), (k, v)
