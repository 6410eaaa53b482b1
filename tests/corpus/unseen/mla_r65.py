# Absorbed MLA: neither keys nor values are ever expanded. Loops over query rows, flat parameters.
import math
from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


class LatentCache(NamedTuple):
    c: Tensor   # [B, S, R]
    kr: Tensor  # [B, S, P], rotated


def rotate(t: Tensor, first: int, base: float = 10000.0) -> Tensor:
    """t is [B, L, ..., P]; row l has position first + l."""
    half = t.shape[-1] // 2
    acc = t.dtype if t.dtype == torch.float64 else torch.float32
    pos = torch.arange(first, first + t.shape[1], device=t.device, dtype=acc)
    frq = torch.exp(torch.arange(half, device=t.device, dtype=acc) * (-math.log(base) / half))
    ang = torch.outer(pos, frq)
    ang = ang.view([1, t.shape[1]] + [1] * (t.dim() - 3) + [half])
    a, b = t[..., :half].to(acc), t[..., half:].to(acc)
    c, s = ang.cos(), ang.sin()
    return torch.cat((a * c - b * s, b * c + a * s), dim=-1).to(t.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim, num_heads, head_dim, rope_dim, latent_dim):
        super().__init__()
        E, H, D, P, R = hidden_dim, num_heads, head_dim, rope_dim, latent_dim
        self.dims = (E, H, D, P, R)

        def mat(*shape):
            return nn.Parameter(torch.randn(*shape) / math.sqrt(shape[-1]))

        self.Wqc = mat(H, D, E)
        self.Wqr = mat(H, P, E)
        self.Wdkv = mat(R, E)
        self.Wkr = mat(P, E)
        self.Wuk = mat(H, D, R)
        self.Wuv = mat(H, D, R)
        self.Wo = mat(E, H * D)

    def forward(self, x: Tensor, cache: Optional[LatentCache] = None):
        E, H, D, P, R = self.dims
        B, L, _ = x.shape
        first = cache.c.shape[1] if cache is not None else 0
        c = torch.einsum("ble,re->blr", x, self.Wdkv)
        kr = rotate(torch.einsum("ble,pe->blp", x, self.Wkr), first)
        if cache is not None:
            c = torch.cat((cache.c, c), 1)
            kr = torch.cat((cache.kr, kr), 1)

        q = torch.einsum("ble,hde->blhd", x, self.Wqc)
        q_lat = torch.einsum("blhd,hdr->blhr", q, self.Wuk)
        q_rot = rotate(torch.einsum("ble,hpe->blhp", x, self.Wqr), first)
        scale = 1.0 / math.sqrt(D + P)

        rows = []
        for i in range(L):
            n = first + i + 1  # keys 0 .. n-1 are visible, nothing to mask
            s = torch.einsum("bhr,bsr->bhs", q_lat[:, i], c[:, :n])
            s = (s + torch.einsum("bhp,bsp->bhs", q_rot[:, i], kr[:, :n])) * scale
            z = torch.einsum("bhs,bsr->bhr", s.softmax(-1), c[:, :n])
            rows.append(torch.einsum("bhr,hdr->bhd", z, self.Wuv).reshape(B, H * D))
        return torch.stack(rows, 1) @ self.Wo.t(), LatentCache(c, kr)
