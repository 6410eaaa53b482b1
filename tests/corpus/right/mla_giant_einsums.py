# right: mla
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()

        def matrix(*shape: int, fan_in: int) -> nn.Parameter:
            return nn.Parameter(torch.empty(*shape).normal_(std=fan_in**-0.5))

        self.q = matrix(num_heads, head_dim + rope_dim, hidden_dim, fan_in=hidden_dim)
        self.down = matrix(latent_dim + rope_dim, hidden_dim, fan_in=hidden_dim)
        self.up = matrix(2, num_heads, head_dim, latent_dim, fan_in=latent_dim)
        self.out = matrix(num_heads, head_dim, hidden_dim, fan_in=num_heads * head_dim)
        self.d, self.r, self.l = head_dim, rope_dim, latent_dim

    def turn(self, t: Tensor, first: int, axis: int) -> Tensor:
        """Rotate the last axis of t, whose positions run along axis."""
        n = t.shape[axis]
        where = torch.arange(first, first + n, device=t.device, dtype=torch.float64)
        rate = 10000.0 ** (-torch.arange(0, self.r, 2, device=t.device, dtype=torch.float64) / self.r)
        angle = where[:, None] * rate[None, :]
        shape = [1] * t.ndim
        shape[axis], shape[-1] = n, self.r // 2
        cos = angle.cos().to(t.dtype).reshape(shape)
        sin = angle.sin().to(t.dtype).reshape(shape)
        a, b = t.tensor_split(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        old = cache if cache is not None else x.new_zeros(x.shape[0], 0, self.l + self.r)
        past = old.shape[1]

        new = torch.einsum("bnm,km->bnk", x, self.down)
        new = torch.cat([new[..., : self.l], self.turn(new[..., self.l :], past, 1)], -1)
        mem = torch.cat([old, new], 1)
        c, kr = mem[..., : self.l], mem[..., self.l :]

        q = torch.einsum("bnm,hkm->bhnk", x, self.q)
        qc, qr = q[..., : self.d], self.turn(q[..., self.d :], past, 2)

        s = torch.einsum("bhnd,hdl,bjl->bhnj", qc, self.up[0], c) + torch.einsum("bhnr,bjr->bhnj", qr, kr)
        s = s / (self.d + self.r) ** 0.5
        n, j = s.shape[-2:]
        late = torch.arange(j, device=x.device) > torch.arange(past, past + n, device=x.device)[:, None]
        s = s.masked_fill(late, -torch.inf)
        p = (s - s.logsumexp(-1, keepdim=True)).exp()
        y = torch.einsum("bhnj,bjl,hdl,hdm->bnm", p, c, self.up[1], self.out)
        return y, mem
