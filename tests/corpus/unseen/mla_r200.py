"""MLA, absorbed: W_uk goes into the query and W_uv behind the mixing, so attention runs in latent
space and the cache is read as it is. Rotations are complex multiplications."""
from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

# b batch, t query, s key, m model, h head, c head_dim, l latent, r rope


def _kernel(*shape: int, fan_in: int) -> nn.Parameter:
    return nn.Parameter(torch.randn(shape) * fan_in**-0.5)


def _turn(x: Tensor, start: int) -> Tensor:
    """x (b, t, ..., r) at positions start, start+1, ...; pairs are (i, i + r/2)."""
    wide = torch.promote_types(x.dtype, torch.float32)
    t, r = x.shape[1], x.shape[-1]
    pos = torch.arange(start, start + t, dtype=torch.float64, device=x.device)
    freq = 1e4 ** (-torch.arange(0, r, 2, dtype=torch.float64, device=x.device) / r)
    angle = torch.outer(pos, freq).to(wide)
    angle = angle.view(1, t, *[1] * (x.ndim - 3), r // 2)
    z = torch.complex(*x.to(wide).chunk(2, -1)) * torch.polar(torch.ones_like(angle), angle)
    return torch.cat([z.real, z.imag], -1).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        M, H, C, R, L = hidden_dim, num_heads, head_dim, rope_dim, latent_dim
        self.scale = (C + R) ** -0.5
        self.dims = L, R
        self.w_qc = _kernel(M, H, C, fan_in=M)
        self.w_qr = _kernel(M, H, R, fan_in=M)
        self.w_dkv = _kernel(M, L, fan_in=M)
        self.w_kr = _kernel(M, R, fan_in=M)
        self.w_uk = _kernel(L, H, C, fan_in=L)
        self.w_uv = _kernel(L, H, C, fan_in=L)
        self.w_o = _kernel(H, C, M, fan_in=H * C)

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        past = 0 if cache is None else cache.shape[1]
        new = torch.cat([x @ self.w_dkv, _turn(x @ self.w_kr, past)], -1)
        kv = new if cache is None else torch.cat([cache, new], 1)  # (b, s, l + r)

        q_lat = torch.einsum("btm,mhc,lhc->bthl", x, self.w_qc, self.w_uk)
        q_rot = _turn(torch.einsum("btm,mhr->bthr", x, self.w_qr), past)
        wide = torch.promote_types(x.dtype, torch.float32)
        q = torch.cat([q_lat, q_rot], -1).to(wide) * self.scale
        logits = torch.einsum("bthe,bse->bhts", q, kv.to(wide))

        ahead = torch.ones_like(logits[0, 0], dtype=torch.bool).triu(past + 1)
        p = logits.masked_fill(ahead, -torch.inf).softmax(-1).to(x.dtype)
        mixed = torch.einsum("bhts,bsl->bthl", p, kv[..., : self.dims[0]])
        return torch.einsum("bthl,lhc,hcm->btm", mixed, self.w_uv, self.w_o), kv
