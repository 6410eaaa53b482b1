import torch
from torch import nn


class Rope:
    def __init__(self, dim, base=1e4):
        self.dim, self.base = dim, base

    def __call__(self, t, start):
        # t: (..., length, dim), the first of its rows is position `start`
        like = dict(device=t.device, dtype=t.dtype)
        pos = torch.arange(start, start + t.shape[-2], **like)
        inv = self.base ** (-torch.arange(0, self.dim, 2, **like) / self.dim)
        ang = torch.outer(pos, inv)
        cos, sin = ang.cos(), ang.sin()
        lo, hi = t.tensor_split(2, -1)
        return torch.cat([lo * cos - hi * sin, hi * cos + lo * sin], -1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.d, self.r, self.l = num_heads, head_dim, rope_dim, latent_dim
        self.rope = Rope(rope_dim)
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wdown = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.wup = nn.ModuleDict({n: nn.Linear(latent_dim, num_heads * head_dim, bias=False) for n in ("k", "v")})
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        past = 0 if cache is None else len(cache)
        n = x.shape[1]
        qc, qr = self.wq(x).unflatten(-1, (self.h, -1)).transpose(1, 2).split((self.d, self.r), -1)
        c, kr = self.wdown(x).split((self.l, self.r), -1)
        qr, kr = self.rope(qr, past), self.rope(kr, past)

        # cache: (length, batch, latent + rope)
        new = torch.cat([c, kr], -1).transpose(0, 1)
        cache = new if cache is None else torch.cat([cache, new])
        c, kr = cache.transpose(0, 1).split((self.l, self.r), -1)

        k, v = (up(c).unflatten(-1, (self.h, self.d)) for up in (self.wup["k"], self.wup["v"]))
        s = torch.einsum("bhnd,bmhd->bhnm", qc, k) + torch.einsum("bhnr,bmr->bhnm", qr, kr)
        s = s * (self.d + self.r) ** -0.5
        seen = torch.ones(n, past + n, dtype=torch.bool, device=x.device).tril(past)
        a = s.masked_fill(~seen, float("-inf")).softmax(-1)
        return self.wo(torch.einsum("bhnm,bmhd->bnhd", a, v).flatten(2)), cache
