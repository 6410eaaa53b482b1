import torch
from torch import nn


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base):
        super().__init__()
        self.dim = dim
        self.base = base

    def forward(self, x, offset):
        t = torch.arange(offset, offset + x.shape[2], device=x.device, dtype=torch.float32)
        inv_freq = 1.0 / self.base ** (torch.arange(0, self.dim, 2, device=x.device).float() / self.dim)
        freqs = torch.outer(t, inv_freq)
        cos = torch.cat([freqs, freqs], -1).cos().type_as(x)
        sin = torch.cat([freqs, freqs], -1).sin().type_as(x)
        x1, x2 = x.chunk(2, dim=-1)
        return x * cos + torch.cat([-x2, x1], dim=-1) * sin


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads = num_heads
        self.num_kv_heads = num_kv_heads
        self.head_dim = hidden_dim // num_heads
        self.kv_dim = num_kv_heads * self.head_dim
        self.qkv = nn.Linear(hidden_dim, hidden_dim + 2 * self.kv_dim, bias=False)
        self.out_proj = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.rope = RotaryEmbedding(self.head_dim, base)

    def forward(self, x, cache=None):
        B, T, C = x.shape
        q, k, v = self.qkv(x).split([C, self.kv_dim, self.kv_dim], dim=-1)
        q = q.view(B, T, self.num_heads, self.head_dim).transpose(1, 2)
        k = k.view(B, T, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = v.view(B, T, self.num_kv_heads, self.head_dim).transpose(1, 2)

        # continue where the cache ends
        offset = cache[0].size(1) if cache is not None else 0
        q = self.rope(q, offset)
        k = self.rope(k, offset)
        if cache is not None:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)
        cache = (k, v)

        S = k.size(2)
        q = q.reshape(B, self.num_kv_heads, -1, T, self.head_dim)
        scores = torch.einsum("bkgtd,bksd->bkgts", q, k) * self.head_dim ** -0.5
        causal = torch.ones(T, S, device=x.device, dtype=torch.bool).tril(diagonal=S - T)
        scores = scores.masked_fill(~causal, torch.finfo(scores.dtype).min)
        out = torch.einsum("bkgts,bksd->bkgtd", scores.softmax(dim=-1), v)
        out = out.reshape(B, self.num_heads, T, self.head_dim).transpose(1, 2).reshape(B, T, C)
        return self.out_proj(out), cache
