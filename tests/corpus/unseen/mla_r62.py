from __future__ import annotations

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    """Absorbed form throughout: no key and no value is ever made.

    The cache is a single tensor, (batch, positions, latent_dim + rope_dim).
    """

    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.h, self.dc, self.dr, self.dl = num_heads, head_dim, rope_dim, latent_dim
        self.wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.wkv_a = nn.Linear(hidden_dim, latent_dim + rope_dim, bias=False)
        self.key_up = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim**-0.5)
        self.value_up = nn.Parameter(torch.randn(num_heads, head_dim, latent_dim) * latent_dim**-0.5)
        self.wo = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def _rotate(self, t: Tensor, start: int) -> Tensor:
        """t: (batch, length, heads or 1, rope_dim)"""
        wide = torch.promote_types(t.dtype, torch.float32)
        i = torch.arange(self.dr // 2, device=t.device, dtype=wide)
        p = torch.arange(start, start + t.size(1), device=t.device, dtype=wide)
        angle = torch.outer(p, 10000.0 ** (-2.0 * i / self.dr))[:, None, :]
        a, b = t.to(wide).chunk(2, dim=-1)
        z = torch.polar(torch.ones_like(angle), angle) * torch.complex(a.contiguous(), b.contiguous())
        return torch.cat([z.real, z.imag], dim=-1).to(t.dtype)

    def forward(self, x: Tensor, cache: Tensor | None = None) -> tuple[Tensor, Tensor]:
        past = 0 if cache is None else cache.size(1)
        n = x.size(1)
        q_c, q_r = self.wq(x).unflatten(-1, (self.h, -1)).split([self.dc, self.dr], dim=-1)
        c, k_r = self.wkv_a(x).split([self.dl, self.dr], dim=-1)
        k_r = self._rotate(k_r.unsqueeze(2), past).squeeze(2)
        row = torch.cat([c, k_r], dim=-1)
        store = row if cache is None else torch.cat([cache, row], dim=1)

        # query side of the absorbed product, then one multi-query attention
        q = torch.cat([torch.einsum("bqhd,hdl->bqhl", q_c, self.key_up), self._rotate(q_r, past)], -1)
        s = torch.einsum("bqhe,bke->bhqk", q, store) * (self.dc + self.dr) ** -0.5
        m = store.size(1)
        hide = torch.ones(n, m, dtype=torch.bool, device=x.device).triu(past + 1)
        w = s.masked_fill(hide, torch.finfo(s.dtype).min).softmax(-1)
        ctx = torch.einsum("bhqk,bkl->bqhl", w, store[..., : self.dl])
        out = torch.einsum("bqhl,hdl->bqhd", ctx, self.value_up).flatten(-2)
        return self.wo(out), store
