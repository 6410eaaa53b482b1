# wrong: gqa-rope rope-on-values line 31
import torch
import torch.nn as nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000.0):
        super().__init__()
        self.nh, self.nkv, self.hd, self.base = num_heads, num_kv_heads, hidden_dim // num_heads, base
        self.wq = nn.Linear(hidden_dim, hidden_dim, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * self.hd, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * self.hd, bias=False)
        self.wo = nn.Linear(hidden_dim, hidden_dim, bias=False)

    def rope(self, x, offset):
        d = x.shape[-1]
        inv_freq = 1.0 / self.base ** (torch.arange(0, d, 2, device=x.device).float() / d)
        t = torch.arange(offset, offset + x.shape[2], device=x.device).float()
        emb = torch.outer(t, inv_freq).repeat(1, 2)
        x1, x2 = x.chunk(2, dim=-1)
        return x * emb.cos().to(x.dtype) + torch.cat([-x2, x1], dim=-1) * emb.sin().to(x.dtype)

    def forward(self, x, cache=None):
        b, t, e = x.shape
        q = self.wq(x).view(b, t, self.nh, self.hd).transpose(1, 2)
        k = self.wk(x).view(b, t, self.nkv, self.hd).transpose(1, 2)
        v = self.wv(x).view(b, t, self.nkv, self.hd).transpose(1, 2)
        offset = 0 if cache is None else cache[0].shape[2]
        q = self.rope(q, offset)
        k = self.rope(k, offset)
        v = self.rope(v, offset)
        if cache is not None:
            k = torch.cat([cache[0], k], dim=2)
            v = torch.cat([cache[1], v], dim=2)
        cache = (k, v)
        k = k.repeat_interleave(self.nh // self.nkv, dim=1)
        v = v.repeat_interleave(self.nh // self.nkv, dim=1)
        s = q @ k.transpose(-2, -1) / self.hd**0.5
        s = s.masked_fill(torch.ones(t, offset + t, device=x.device).tril(offset) == 0, float("-inf"))
        y = s.softmax(dim=-1) @ v
        return self.wo(y.transpose(1, 2).reshape(b, t, e)), cache
