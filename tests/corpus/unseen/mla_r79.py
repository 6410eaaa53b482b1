# weights absorbed everywhere, one fused input matrix, cache = one tensor (B, S, latent + rope)
from types import SimpleNamespace
import torch
from torch import nn


def rotate(t, start):
    half = t.shape[-1] // 2
    pos = torch.arange(start, start + t.shape[-2], device=t.device, dtype=torch.float64)
    freq = 1e4 ** (-torch.arange(half, device=t.device, dtype=torch.float64) / half)
    ang = pos[:, None] * freq
    c, s = ang.cos().to(t.dtype), ang.sin().to(t.dtype)
    return t * torch.cat((c, c), -1) + t.roll(half, -1) * torch.cat((-s, s), -1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.dims = SimpleNamespace(h=num_heads, d=head_dim, r=rope_dim, l=latent_dim,
                                    nh=num_heads * head_dim, nr=num_heads * rope_dim)
        wide = self.dims.nh + self.dims.nr + latent_dim + rope_dim
        self.w_in = nn.Parameter(torch.randn(hidden_dim, wide) * hidden_dim ** -0.5)
        self.uk = nn.Parameter(torch.randn(num_heads, latent_dim, head_dim) * latent_dim ** -0.5)
        self.uv = nn.Parameter(torch.randn(num_heads, latent_dim, head_dim) * latent_dim ** -0.5)
        self.o = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x, cache=None):
        s = self.dims
        qc, qr, c, kr = (x @ self.w_in).split((s.nh, s.nr, s.l, s.r), -1)
        start = 0 if cache is None else cache.shape[1]
        entries = torch.cat((c, rotate(kr, start)), -1)
        cache = entries if cache is None else torch.cat((cache, entries), 1)
        qc = qc.unflatten(-1, (s.h, s.d)).transpose(1, 2)
        qr = rotate(qr.unflatten(-1, (s.h, s.r)).transpose(1, 2), start)
        q = torch.cat((torch.einsum("bhtd,hld->bhtl", qc, self.uk), qr), -1)
        logits = torch.einsum("bhte,bse->bhts", q, cache) / (s.d + s.r) ** 0.5
        n, total = logits.shape[-2:]
        later = torch.ones(n, total, dtype=torch.bool, device=x.device).triu(total - n + 1)
        p = logits.masked_fill(later, -torch.inf).softmax(-1)
        y = torch.einsum("bhts,bsl,hld->bthd", p, cache[..., : s.l], self.uv)
        return self.o(y.flatten(2)), cache
