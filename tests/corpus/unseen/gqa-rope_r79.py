# attn-kata: gqa-rope
import torch
from torch import nn


def rotary(n, start, dim, base, device):
    half = dim // 2
    theta = base ** (-torch.arange(half, device=device, dtype=torch.float64) * 2 / dim)
    p = torch.arange(start, start + n, device=device, dtype=torch.float64)
    a = p[:, None] * theta[None, :]
    return a.cos(), a.sin()


def apply(t, cos, sin):
    a, b = torch.tensor_split(t, 2, dim=-1)
    c, s = cos.to(t.dtype), sin.to(t.dtype)
    return torch.cat([a * c - b * s, b * c + a * s], -1)


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        self.nq, self.nkv = num_heads, num_kv_heads
        self.hd = hidden_dim // num_heads
        self.base = float(base)
        self.sizes = [num_heads * self.hd, num_kv_heads * self.hd, num_kv_heads * self.hd]
        self.wqkv = nn.Linear(hidden_dim, sum(self.sizes), bias=False)
        self.wo = nn.Linear(num_heads * self.hd, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        q, k, v = (t.view(b, n, -1, self.hd).transpose(1, 2)
                   for t in self.wqkv(x).split(self.sizes, dim=-1))
        past = 0 if cache is None else cache["key"].shape[2]
        cos, sin = rotary(n, past, self.hd, self.base, x.device)
        q, k = apply(q, cos, sin), apply(k, cos, sin)
        if cache is not None:
            k = torch.cat([cache["key"], k], 2)
            v = torch.cat([cache["value"], v], 2)
        new = dict(key=k, value=v)
        q = q.unflatten(1, (self.nkv, -1))                      # b g r n d
        s = q @ k.unsqueeze(2).mT / self.hd ** 0.5              # b g r n m
        hide = torch.ones(n, k.shape[2], device=x.device).triu(past + 1).bool()
        w = s.masked_fill(hide, float("-inf")).softmax(-1)
        o = (w @ v.unsqueeze(2)).flatten(1, 2)
        return self.wo(o.transpose(1, 2).flatten(2)), new
