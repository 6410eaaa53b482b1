import torch
from torch import nn


class MultiHeadLatentAttention(nn.Module):
    # absorbed form; letters: n batch, t query, s cached, h head, d content, r rope, c latent, m model
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        def p(*shape):
            return nn.Parameter(torch.randn(*shape) * shape[-1] ** -0.5)
        self.W_qc = p(num_heads, head_dim, hidden_dim)
        self.W_qr = p(num_heads, rope_dim, hidden_dim)
        self.W_c = p(latent_dim, hidden_dim)
        self.W_kr = p(rope_dim, hidden_dim)
        self.W_uk = p(num_heads, head_dim, latent_dim)
        self.W_uv = p(num_heads, head_dim, latent_dim)
        self.W_o = p(hidden_dim, num_heads, head_dim)
        self.root = (head_dim + rope_dim) ** 0.5

    @staticmethod
    def turn(z, pos):
        # z (n, t, ..., r) as complex numbers: real parts first, imaginary parts behind them
        half = z.shape[-1] // 2
        w = torch.exp(-torch.arange(half, device=z.device, dtype=torch.float64) / half * 9.210340371976184)
        phi = (pos.to(torch.float64)[:, None] * w).view(-1, *[1] * (z.dim() - 3), half)
        spun = torch.complex(z[..., :half].double(), z[..., half:].double()) * torch.polar(torch.ones_like(phi), phi)
        return torch.cat([spun.real, spun.imag], dim=-1).to(z.dtype)

    def forward(self, x, cache=None):
        t = x.shape[1]
        past = 0 if cache is None else cache.shape[1]
        pos = torch.arange(past, past + t, device=x.device)
        c = torch.einsum("ntm,cm->ntc", x, self.W_c)
        kr = self.turn(torch.einsum("ntm,rm->ntr", x, self.W_kr), pos)
        new = torch.cat([c, kr], dim=-1)
        cache = new if cache is None else torch.cat([cache, new], dim=1)
        C, R = cache.split([c.shape[-1], kr.shape[-1]], dim=-1)

        qc = torch.einsum("ntm,hdm->nthd", x, self.W_qc)
        qr = self.turn(torch.einsum("ntm,hrm->nthr", x, self.W_qr), pos)
        logits = torch.einsum("nthd,hdc,nsc->nhts", qc, self.W_uk, C) + torch.einsum("nthr,nsr->nhts", qr, R)
        later = torch.arange(past + t, device=x.device) > pos[:, None]
        w = (logits / self.root).masked_fill(later, float("-inf")).softmax(-1)

        mixed = torch.einsum("nhts,nsc->nthc", w, C)
        value = torch.einsum("nthc,gdc->nthd", mixed, self.W_uv)
        return torch.einsum("nthd,mhd->ntm", value, self.W_o), cache
