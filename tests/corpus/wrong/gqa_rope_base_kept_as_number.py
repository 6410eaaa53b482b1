# wrong: gqa-rope rope-base-ignored line 19
# fair: rope-base-ignored 18 20
# The base is taken and never used.
import torch
import torch.nn as nn


class GQAWithRope(nn.Module):
    def __init__(self, d_model, n_heads, n_kv_heads, rope_theta=10000.0):
        super().__init__()
        self.rope_theta = rope_theta
        self.n_heads, self.n_kv_heads, self.dk = n_heads, n_kv_heads, d_model // n_heads
        self.Wq, self.Wo = nn.Linear(d_model, d_model), nn.Linear(d_model, d_model)
        self.Wk = nn.Linear(d_model, n_kv_heads * self.dk)
        self.Wv = nn.Linear(d_model, n_kv_heads * self.dk)

    def rope(self, x, p):
        idx = torch.arange(self.dk // 2, device=x.device)
        theta = torch.exp(-idx * 2 / self.dk * 9.210340371976184)
        ang = torch.arange(p, p + x.shape[2], device=x.device)[:, None] * theta
        c, s = ang.cos().to(x.dtype), ang.sin().to(x.dtype)
        l, r = x.chunk(2, -1)
        return torch.cat((l * c - r * s, l * s + r * c), -1)

    def forward(self, x, cache=None):
        B, T, _ = x.shape
        P = 0 if cache is None else cache[0].shape[2]
        q = self.rope(self.Wq(x).view(B, T, self.n_heads, self.dk).transpose(1, 2), P)
        k = self.rope(self.Wk(x).view(B, T, self.n_kv_heads, self.dk).transpose(1, 2), P)
        v = self.Wv(x).view(B, T, self.n_kv_heads, self.dk).transpose(1, 2)
        if cache is not None:
            k, v = torch.cat((cache[0], k), 2), torch.cat((cache[1], v), 2)
        r = self.n_heads // self.n_kv_heads
        s = torch.matmul(q, k.repeat_interleave(r, 1).transpose(2, 3)) / self.dk**0.5
        s = s.masked_fill(torch.ones(T, P + T, device=x.device).tril(P) == 0, float("-inf"))
        z = torch.matmul(s.softmax(-1), v.repeat_interleave(r, 1))
        return self.Wo(z.transpose(1, 2).reshape(B, T, -1)), (k, v)
