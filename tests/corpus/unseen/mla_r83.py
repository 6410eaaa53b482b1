import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    """Absorbed: queries are taken into the latent space, keys and values are never made."""

    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        self.h, self.d, self.r, self.l = num_heads, head_dim, rope_dim, latent_dim
        self.wq_c = nn.Parameter(torch.randn(num_heads, head_dim, hidden_dim) * hidden_dim**-0.5)
        self.wq_r = nn.Parameter(torch.randn(num_heads, rope_dim, hidden_dim) * hidden_dim**-0.5)
        self.w_latent = nn.Parameter(torch.randn(latent_dim, hidden_dim) * hidden_dim**-0.5)
        self.w_rope = nn.Parameter(torch.randn(rope_dim, hidden_dim) * hidden_dim**-0.5)
        self.wk = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim**-0.5)
        self.wv = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim**-0.5)
        self.wo = nn.Parameter(torch.randn(hidden_dim, num_heads, head_dim) * (num_heads * head_dim) ** -0.5)

    def spin(self, x, pos):
        half = self.r // 2
        rate = 10000.0 ** (-torch.arange(half, dtype=torch.float64, device=x.device) / half)
        z = torch.polar(torch.ones_like(pos.double()[:, None] * rate), pos.double()[:, None] * rate)
        c, s = z.real.to(x.dtype), z.imag.to(x.dtype)
        a, b = x[..., :half], x[..., half:]
        return torch.cat([a * c - b * s, b * c + a * s], -1)

    def forward(self, x, cache=None):
        t = x.shape[1]
        new = torch.cat([x @ self.w_latent.T, x @ self.w_rope.T], -1)
        past = 0 if cache is None else cache.shape[1]
        pos = torch.arange(past, past + t, device=x.device)
        new = torch.cat([new[..., : self.l], self.spin(new[..., self.l :], pos)], -1)
        cache = new if cache is None else torch.cat([cache, new], 1)

        q = torch.einsum("btm,hdm,hdl->bhtl", x, self.wq_c, self.wk)
        q = torch.cat([q, self.spin(torch.einsum("btm,hrm->bhtr", x, self.wq_r), pos)], -1)
        s = torch.einsum("bhtc,bsc->bhts", q, cache) * (self.d + self.r) ** -0.5
        s = s.masked_fill(torch.arange(past + t, device=x.device) > pos[:, None], -torch.inf)
        z = torch.einsum("bhts,bsl->bhtl", s.softmax(-1), cache[..., : self.l])
        return torch.einsum("bhtl,hdl,mhd->btm", z, self.wv, self.wo), cache
