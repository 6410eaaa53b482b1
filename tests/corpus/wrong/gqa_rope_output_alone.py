# wrong: gqa-rope state-not-returned line 41
# fair: state-not-returned 22
# The cache lies on the object, and the output comes back alone.
import torch
import torch.nn as nn


class LlamaAttention(nn.Module):
    def __init__(self, dim, n_heads, n_kv_heads, rope_theta=10000.0):
        super().__init__()
        self.n_heads, self.n_kv_heads, self.head_dim = n_heads, n_kv_heads, dim // n_heads
        self.rope_theta = rope_theta
        self.wq = nn.Linear(dim, dim, bias=False)
        self.wk = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wv = nn.Linear(dim, n_kv_heads * self.head_dim, bias=False)
        self.wo = nn.Linear(dim, dim, bias=False)
        self.cache = None

    def clear_cache(self):
        self.cache = None

    def forward(self, x, use_cache=True):
        b, t, e = x.shape
        q = self.wq(x).view(b, t, self.n_heads, -1).transpose(1, 2)
        k = self.wk(x).view(b, t, self.n_kv_heads, -1).transpose(1, 2)
        v = self.wv(x).view(b, t, self.n_kv_heads, -1).transpose(1, 2)
        start = self.cache[0].shape[2] if self.cache is not None else 0
        f = self.rope_theta ** (-torch.arange(0, self.head_dim, 2, device=x.device) / self.head_dim)
        a = (torch.arange(start, start + t, device=x.device)[:, None] * f).repeat(1, 2)
        half = self.head_dim // 2
        rot = lambda z: z * a.cos().to(z.dtype) + torch.cat([-z[..., half:], z[..., :half]], -1) * a.sin().to(z.dtype)
        q, k = rot(q), rot(k)
        if self.cache is not None:
            k = torch.cat([self.cache[0], k], 2)
            v = torch.cat([self.cache[1], v], 2)
        self.cache = (k, v)
        r = self.n_heads // self.n_kv_heads
        s = q @ k.repeat_interleave(r, 1).mT / self.head_dim**0.5
        s = s.masked_fill(torch.ones(t, start + t, device=x.device).tril(start) == 0, float("-inf"))
        y = s.softmax(-1) @ v.repeat_interleave(r, 1)
        return self.wo(y.transpose(1, 2).reshape(b, t, e))
