# wrong: gqa-rope rope-before-heads line 23
# fair: rope-before-heads 28 19 22
import torch
import torch.nn as nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.num_heads, self.num_kv_heads, self.base = num_heads, num_kv_heads, base
        self.head_dim = hidden_dim // num_heads
        self.Wq = nn.Linear(hidden_dim, hidden_dim)
        self.Wk = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.Wv = nn.Linear(hidden_dim, num_kv_heads * self.head_dim)
        self.Wo = nn.Linear(hidden_dim, hidden_dim)

    def apply_rope(self, x, offset):
        seq, dim = x.shape[1], x.shape[2]
        freqs = self.base ** (-torch.arange(0, dim, 2, device=x.device).double() / dim)
        angles = torch.arange(offset, offset + seq, device=x.device).double()[:, None] * freqs
        cos, sin = angles.cos().to(x.dtype), angles.sin().to(x.dtype)
        x1, x2 = x.chunk(2, dim=-1)
        return torch.cat([x1 * cos - x2 * sin, x1 * sin + x2 * cos], dim=-1)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        offset = cache[0].size(2) if cache is not None else 0
        q = self.apply_rope(self.Wq(x), offset)
        k = self.apply_rope(self.Wk(x), offset)
        v = self.Wv(x)
        q = q.view(b, t, self.num_heads, self.head_dim).transpose(1, 2)
        k = k.view(b, t, self.num_kv_heads, self.head_dim).transpose(1, 2)
        v = v.view(b, t, self.num_kv_heads, self.head_dim).transpose(1, 2)
        if cache is not None:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        cache = (k, v)
        rep = self.num_heads // self.num_kv_heads
        k, v = k.repeat_interleave(rep, dim=1), v.repeat_interleave(rep, dim=1)
        scores = torch.einsum("bhqd,bhkd->bhqk", q, k) / self.head_dim**0.5
        hide = torch.triu(torch.ones(t, offset + t, device=x.device), diagonal=offset + 1).bool()
        attn = scores.masked_fill(hide, float("-inf")).softmax(dim=-1)
        out = torch.einsum("bhqk,bhkd->bqhd", attn, v).reshape(b, t, e)
        return self.Wo(out), cache
