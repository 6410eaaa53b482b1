import torch
from torch import nn


class GroupedQueryAttentionWithRope(nn.Module):
    def __init__(self, hidden_dim, num_heads, num_kv_heads, base=10000):
        super().__init__()
        d = hidden_dim // num_heads
        self.h, self.kvh, self.d = num_heads, num_kv_heads, d
        self.wq = nn.Linear(hidden_dim, num_heads * d, bias=False)
        self.wk = nn.Linear(hidden_dim, num_kv_heads * d, bias=False)
        self.wv = nn.Linear(hidden_dim, num_kv_heads * d, bias=False)
        self.wo = nn.Linear(num_heads * d, hidden_dim, bias=False)
        self.register_buffer("inv_freq", 1.0 / (base ** (torch.arange(0, d, 2).float() / d)), persistent=False)

    def cos_sin(self, x, start, stop):
        t = torch.arange(start, stop, device=x.device).type_as(self.inv_freq)
        ang = torch.outer(t, self.inv_freq)
        return ang.cos(), ang.sin()

    @staticmethod
    def rotate(t, cos, sin):
        a, b = t.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1).to(t.dtype)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        past = 0 if cache is None else cache[0].shape[2]
        q = self.wq(x).view(B, T, self.h, self.d).transpose(1, 2)
        k = self.wk(x).view(B, T, self.kvh, self.d).transpose(1, 2)
        v = self.wv(x).view(B, T, self.kvh, self.d).transpose(1, 2)
        cos, sin = self.cos_sin(x, past, past + T)
        q, k = self.rotate(q, cos, sin), self.rotate(k, cos, sin)
        if past:
            k, v = torch.cat([cache[0], k], 2), torch.cat([cache[1], v], 2)
        rep = self.h // self.kvh
        att = q @ k.repeat_interleave(rep, 1).transpose(-1, -2) / self.d ** 0.5
        mask = torch.ones(T, past + T, dtype=torch.bool, device=x.device).tril(past)
        att = att.masked_fill(~mask, float("-inf")).softmax(-1)
        y = (att @ v.repeat_interleave(rep, 1)).transpose(1, 2).reshape(B, T, -1)
        return self.wo(y), (k, v)
