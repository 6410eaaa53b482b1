import torch
from torch import nn


class RotaryEmbedding(nn.Module):
    def __init__(self, dim, base):
        super().__init__()
        self.dim, self.base = dim, base

    def forward(self, q, k, offset):
        n = q.shape[-2]
        inv_freq = self.base ** (-torch.arange(0, self.dim, 2, device=q.device).float() / self.dim)
        t = torch.arange(offset, offset + n, device=q.device).float()
        freqs = t[:, None] * inv_freq[None, :]
        emb = torch.cat((freqs, freqs), dim=-1)
        cos, sin = emb.cos().to(q.dtype), emb.sin().to(q.dtype)
        return self.turn(q, cos, sin), self.turn(k, cos, sin)

    @staticmethod
    def turn(x, cos, sin):
        x1, x2 = x.chunk(2, dim=-1)
        return torch.cat((x1 * cos - x2 * sin, x2 * cos + x1 * sin), dim=-1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.nh, self.nkv = num_heads, num_kv_heads
        self.hd = hidden_dim // num_heads
        self.q_proj = nn.Linear(hidden_dim, self.nh * self.hd)
        self.k_proj = nn.Linear(hidden_dim, self.nkv * self.hd)
        self.v_proj = nn.Linear(hidden_dim, self.nkv * self.hd)
        self.o_proj = nn.Linear(self.nh * self.hd, hidden_dim)
        self.rotary = RotaryEmbedding(self.hd, base)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q = self.q_proj(x).view(b, n, self.nh, self.hd).transpose(1, 2)
        k = self.k_proj(x).view(b, n, self.nkv, self.hd).transpose(1, 2)
        v = self.v_proj(x).view(b, n, self.nkv, self.hd).transpose(1, 2)
        past = cache[0].size(2) if cache is not None else 0
        q, k = self.rotary(q, k, past)
        if cache is not None:
            k = torch.cat((cache[0], k), dim=2)
            v = torch.cat((cache[1], v), dim=2)
        new_cache = (k, v)
        k = k.repeat_interleave(self.nh // self.nkv, dim=1)
        v = v.repeat_interleave(self.nh // self.nkv, dim=1)
        s = q @ k.transpose(-2, -1) / self.hd ** 0.5
        i = torch.arange(past, past + n, device=x.device)[:, None]
        j = torch.arange(past + n, device=x.device)[None, :]
        s = s.masked_fill(j > i, float("-inf"))
        o = s.softmax(dim=-1) @ v
        return self.o_proj(o.transpose(1, 2).reshape(b, n, -1)), new_cache
