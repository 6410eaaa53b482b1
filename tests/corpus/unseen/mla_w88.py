from collections import namedtuple
import torch
from torch import nn

Store = namedtuple("Store", "latent rope")


class Rotary(nn.Module):
    def __init__(self, dim):
        super().__init__()
        i = torch.arange(0, dim, 2, dtype=torch.float64)
        self.freqs = [10000.0 ** (-2.0 * e / dim) for e in i.tolist()]

    def forward(self, t, first):
        """t (..., T, dim)"""
        p = torch.arange(first, first + t.shape[-2], device=t.device, dtype=torch.float64)
        ang = torch.stack([p * f for f in self.freqs], dim=-1)
        c, s = torch.cos(ang).to(t.dtype), torch.sin(ang).to(t.dtype)
        a, b = t.tensor_split(2, dim=-1)
        return torch.cat([a * c - b * s, b * c + a * s], dim=-1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.H, self.dc, self.dr = num_heads, head_dim, rope_dim
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.wkr = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.up = nn.Linear(latent_dim, 2 * num_heads * head_dim, bias=False)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.rotary = Rotary(rope_dim)

    def heads(self, t, d):
        return t.unflatten(-1, (self.H, d)).transpose(1, 2)

    def forward(self, x, cache=None):
        n = x.shape[1]
        old = 0 if cache is None else cache.latent.shape[1]
        q_c, q_r = self.wq(x).split([self.H * self.dc, self.H * self.dr], dim=-1)
        q = torch.cat([self.heads(q_c, self.dc), self.rotary(self.heads(q_r, self.dr), old)], -1)

        latent, rope = self.down(x), self.rotary(self.wkr(x), old)
        if cache is not None:
            latent, rope = torch.cat([cache.latent, latent], 1), torch.cat([cache.rope, rope], 1)
        k_c, v = (self.heads(t, self.dc) for t in self.up(latent).chunk(2, -1))
        k = torch.cat([k_c, rope[:, None].expand(-1, self.H, -1, -1)], -1)

        w = q @ k.mT / q.shape[-1] ** 0.5
        w = w.masked_fill(torch.ones_like(w[0, 0]).triu(1 + old).bool(), float("-inf")).softmax(-1)
        return self.wo((w @ v).transpose(1, 2).flatten(2)), Store(latent, rope)
