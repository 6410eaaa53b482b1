"""MLA with the up-projections absorbed: scores and mixtures are taken in the latent space.

One tensor is cached, [latent | rotated key], latent_dim + rope_dim wide.
"""
from __future__ import annotations

import math

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.sizes = dict(h=num_heads, d=head_dim, r=rope_dim, c=latent_dim)

        def weight(*shape: int, fan_in: int) -> nn.Parameter:
            return nn.Parameter(torch.randn(*shape) / math.sqrt(fan_in))

        self.w_qc = weight(hidden_dim, num_heads, head_dim, fan_in=hidden_dim)
        self.w_qr = weight(hidden_dim, num_heads, rope_dim, fan_in=hidden_dim)
        self.w_dkv = weight(hidden_dim, latent_dim, fan_in=hidden_dim)
        self.w_kr = weight(hidden_dim, rope_dim, fan_in=hidden_dim)
        self.w_uk = weight(latent_dim, num_heads, head_dim, fan_in=latent_dim)
        self.w_uv = weight(latent_dim, num_heads, head_dim, fan_in=latent_dim)
        self.w_o = weight(num_heads, head_dim, hidden_dim, fan_in=num_heads * head_dim)

    def _rotate(self, t: Tensor, pos: Tensor) -> Tensor:
        """t: (b, n, ..., r)"""
        half = t.shape[-1] // 2
        rate = torch.pow(10000.0, -torch.arange(half, device=t.device, dtype=torch.float64) / half)
        ang = pos.to(torch.float64)[:, None] * rate
        ang = ang.reshape(ang.shape[0], *(1,) * (t.dim() - 3), half)
        wide = torch.promote_types(t.dtype, torch.float32)
        cos, sin = ang.cos().to(wide), ang.sin().to(wide)
        a, b = t[..., :half], t[..., half:]
        return torch.cat([a * cos - b * sin, a * sin + b * cos], -1).to(t.dtype)

    def forward(self, x: Tensor, cache: Tensor | None = None) -> tuple[Tensor, Tensor]:
        n, past = x.shape[1], 0 if cache is None else cache.shape[1]
        c, r, d = (self.sizes[s] for s in "crd")
        pos = torch.arange(past + n, device=x.device)

        entry = torch.cat([x @ self.w_dkv, self._rotate(x @ self.w_kr, pos[past:])], -1)
        memory = entry if cache is None else torch.cat([cache, entry], 1)

        q_content = torch.einsum("bim,mhd,chd->bihc", x, self.w_qc, self.w_uk)
        q_rotary = self._rotate(torch.einsum("bim,mhr->bihr", x, self.w_qr), pos[past:])
        q = torch.cat([q_content, q_rotary], -1)

        s = torch.einsum("bihe,bje->bhij", q, memory) / math.sqrt(d + r)
        s = s.masked_fill(pos[None, :] > pos[past:, None], -math.inf)
        latent = torch.einsum("bhij,bjc->bihc", s.softmax(-1), memory[..., :c])
        return torch.einsum("bihc,chd,hdm->bim", latent, self.w_uv, self.w_o), memory
