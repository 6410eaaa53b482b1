# attn-kata: gqa-rope
import math
import torch
import torch.nn as nn


def rotate_half(x):
    x1, x2 = x.chunk(2, dim=-1)
    return torch.cat((-x2, x1), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.base = base
        self.q_proj = nn.Linear(hidden_dim, num_heads * self.head_dim, bias=False)
        self.k_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.v_proj = nn.Linear(hidden_dim, num_kv_heads * self.head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * self.head_dim, hidden_dim, bias=False)

    def tables(self, first, count, like):
        i = torch.arange(0, self.head_dim, 2, device=like.device).float()
        inv_freq = 1.0 / (self.base ** (i / self.head_dim))
        pos = torch.arange(first, first + count, device=like.device).float()
        emb = torch.outer(pos, inv_freq).repeat(1, 2)
        return emb.cos().to(like.dtype), emb.sin().to(like.dtype)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q = self.q_proj(x).view(b, n, self.num_heads, self.head_dim).transpose(1, 2)
        k = self.k_proj(x).view(b, n, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = self.v_proj(x).view(b, n, self.num_kv_heads, self.head_dim).transpose(1, 2)
        past = 0 if cache is None else len(cache[0])
        cos, sin = self.tables(past, n, x)
        q = q * cos + rotate_half(q) * sin
        k = k * cos + rotate_half(k) * sin
        cache = ([], []) if cache is None else cache
        cache = (cache[0] + [k], cache[1] + [v])
        k, v = torch.cat(cache[0], dim=2), torch.cat(cache[1], dim=2)
        rep = self.num_heads // self.num_kv_heads
        scores = q @ k.repeat_interleave(rep, 1).transpose(2, 3) / math.sqrt(self.head_dim)
        m = k.shape[2]
        mask = torch.ones(n, m, dtype=torch.bool, device=x.device).tril(m - n)
        scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)
        out = scores.softmax(-1) @ v.repeat_interleave(rep, 1)
        return self.o_proj(out.transpose(1, 2).reshape(b, n, -1)), cache
