import math

import torch
from torch import nn


def rope_table(start, count, head_dim, device, dtype, theta=10000.0):
    acc = torch.float64 if dtype == torch.float64 else torch.float32
    exponent = torch.arange(0, head_dim, 2, device=device, dtype=acc) / head_dim
    angle = torch.outer(torch.arange(start, start + count, device=device, dtype=acc), theta ** -exponent)
    return angle.cos(), angle.sin()


def rope(t, cos, sin):
    # t [B, L, heads, D], cos/sin [L, D/2]
    x, y = t.chunk(2, dim=-1)
    cos, sin = cos[:, None, :], sin[:, None, :]
    return torch.cat([x * cos - y * sin, y * cos + x * sin], dim=-1).to(t.dtype)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.n_q = num_heads
        self.n_kv = num_kv_heads
        self.dim = hidden_dim // num_heads
        self.rope_base = base
        self.qkv = nn.Linear(hidden_dim, (num_heads + 2 * num_kv_heads) * self.dim, bias=False)
        self.proj = nn.Linear(num_heads * self.dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        B, L, _ = x.shape
        seen = 0
        if cache is not None:
            seen = cache[0].shape[1]

        packed = self.qkv(x).view(B, L, self.n_q + 2 * self.n_kv, self.dim)
        q = packed[:, :, : self.n_q]
        k = packed[:, :, self.n_q : self.n_q + self.n_kv]
        v = packed[:, :, self.n_q + self.n_kv :]

        cos, sin = rope_table(seen, L, self.dim, x.device, x.dtype)
        q, k = rope(q, cos, sin), rope(k, cos, sin)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=1)
            v = torch.cat([cache[1], v], dim=1)

        # g = kv head, r = query head inside the group
        q = q.unflatten(2, (self.n_kv, self.n_q // self.n_kv))
        s = torch.einsum("bigrd,bjgd->bgrij", q, k) / math.sqrt(self.dim)
        hidden = torch.ones(L, k.shape[1], dtype=torch.bool, device=x.device).triu(seen + 1)
        p = s.masked_fill(hidden, float("-inf")).softmax(-1)
        o = torch.einsum("bgrij,bjgd->bigrd", p, v)
        return self.proj(o.flatten(2)), (k, v)
