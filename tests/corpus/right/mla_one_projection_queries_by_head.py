# right: mla
from functools import partial

import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        make = partial(nn.Linear, bias=False)
        self.to_qkv = make(hidden_dim, num_heads * (head_dim + rope_dim) + latent_dim + rope_dim)
        self.up_k = make(latent_dim, num_heads * head_dim)
        self.up_v = make(latent_dim, num_heads * head_dim)
        self.to_out = make(num_heads * head_dim, hidden_dim)
        self.h, self.d, self.r, self.l = num_heads, head_dim, rope_dim, latent_dim

    def angles(self, pos):
        # (n,) -> cos, sin (n, r/2), made in float32 at least
        freq = 10000.0 ** (-torch.arange(0, self.r, 2, device=pos.device, dtype=torch.float32) / self.r)
        a = torch.outer(pos.float(), freq)
        return a.cos(), a.sin()

    def turn(self, z, cos, sin):
        z1, z2 = z.chunk(2, dim=-1)
        cos, sin = cos.to(z), sin.to(z)
        return torch.cat([z1 * cos - z2 * sin, z1 * sin + z2 * cos], dim=-1)

    def forward(self, x, cache=None):
        b, n, _ = x.shape
        h, d, r, l = self.h, self.d, self.r, self.l
        past = 0 if cache is None else cache.shape[1]

        q, c, kr = self.to_qkv(x).split([h * (d + r), l, r], dim=-1)
        position = torch.arange(past, past + n, device=x.device)
        cos, sin = self.angles(position)
        qc, qr = q.view(b, n, h, d + r).transpose(1, 2).split([d, r], dim=-1)
        qr = self.turn(qr, cos, sin)
        cache_new = torch.cat([c, self.turn(kr, cos, sin)], dim=-1)
        if cache is not None:
            cache_new = torch.cat([cache, cache_new], dim=1)
        c, kr = cache_new.split([l, r], dim=-1)

        k = self.up_k(c).view(b, -1, h, d).transpose(1, 2)
        v = self.up_v(c).view(b, -1, h, d).transpose(1, 2)
        sim = qc @ k.mT + qr @ kr.unsqueeze(1).mT
        sim = sim.float() if sim.dtype in (torch.float16, torch.bfloat16) else sim
        sim = sim * (d + r) ** -0.5
        sim = sim.masked_fill(~torch.ones(n, past + n, dtype=torch.bool, device=x.device).tril(past), float("-inf"))
        out = sim.softmax(dim=-1).to(v.dtype) @ v
        return self.to_out(out.transpose(1, 2).reshape(b, n, h * d)), cache_new
