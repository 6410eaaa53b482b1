# wrong: mla scale-by-latent-dim line 13
# fair: scale-by-latent-dim 37
import torch
from torch import nn


class MLA(nn.Module):
    """Absorbed: scores against the latents themselves."""

    def __init__(self, dim, n_heads, nope_dim, rope_dim, kv_rank):
        super().__init__()
        self.n_heads, self.nope, self.rope, self.rank = n_heads, nope_dim, rope_dim, kv_rank
        self.scale = (kv_rank + rope_dim) ** -0.5
        self.q_nope = nn.Linear(dim, n_heads * nope_dim, bias=False)
        self.q_rope = nn.Linear(dim, n_heads * rope_dim, bias=False)
        self.kv_a = nn.Linear(dim, kv_rank + rope_dim, bias=False)
        self.k_up = nn.Parameter(torch.randn(n_heads, nope_dim, kv_rank))
        self.v_up = nn.Parameter(torch.randn(n_heads, kv_rank, nope_dim))
        self.o = nn.Linear(n_heads * nope_dim, dim, bias=False)

    def spin(self, x, p):
        w = 10000.0 ** (-torch.arange(0, self.rope, 2, device=x.device) / self.rope)
        a = p[:, None] * w
        l, r = x.chunk(2, -1)
        return torch.cat([l * a.cos() - r * a.sin(), r * a.cos() + l * a.sin()], -1).to(x.dtype)

    def forward(self, x, cache=None):
        b, t, _ = x.shape
        n0 = 0 if cache is None else cache.size(1)
        p = torch.arange(n0, n0 + t, device=x.device)
        c, k = self.kv_a(x).split([self.rank, self.rope], -1)
        new = torch.cat([c, self.spin(k, p)], -1)
        cache = new if cache is None else torch.cat([cache, new], 1)
        q = self.q_nope(x).view(b, t, self.n_heads, self.nope)
        q = torch.einsum("bthd,hdc->bhtc", q, self.k_up)
        qr = self.spin(self.q_rope(x).view(b, t, self.n_heads, self.rope).transpose(1, 2), p)
        s = torch.einsum("bhtc,bsc->bhts", torch.cat([q, qr], -1), cache) * self.scale
        s = s.masked_fill(torch.arange(cache.size(1), device=x.device) > p[:, None], float("-inf"))
        o = torch.einsum("bhts,bsc->bhtc", s.softmax(-1), cache[..., : self.rank])
        o = torch.einsum("bhtc,hcd->bthd", o, self.v_up).flatten(2)
        return self.o(o), cache
