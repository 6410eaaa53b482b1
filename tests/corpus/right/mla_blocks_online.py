# right: mla
from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor

BLOCK = 16


def phases(first: int, count: int, width: int, like: Tensor) -> tuple[Tensor, Tensor]:
    freq = torch.logspace(0, -4, width // 2 + 1, dtype=torch.float64, device=like.device)[:-1]  # 10000^(-2i/width)
    angle = torch.arange(first, first + count, device=like.device).double().unsqueeze(1) * freq
    return angle.cos().to(like.dtype), angle.sin().to(like.dtype)


def turn(z: Tensor, cs: tuple[Tensor, Tensor]) -> Tensor:
    cos, sin = cs
    a, b = z.split(z.shape[-1] // 2, -1)
    return torch.cat((a * cos - b * sin, a * sin + b * cos), -1)


class MultiHeadLatentAttention(nn.Module):
    def __init__(self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int) -> None:
        super().__init__()
        self.shape = (num_heads, head_dim, rope_dim, latent_dim)
        self.kv_a = nn.Linear(hidden_dim, rope_dim + latent_dim, bias=False)  # rotary key first, then the latent
        self.kv_b = nn.Linear(latent_dim, num_heads * 2 * head_dim, bias=False)
        self.q = nn.Linear(hidden_dim, num_heads * (rope_dim + head_dim), bias=False)  # per head: rotary, content
        self.o = nn.Linear(num_heads * head_dim, hidden_dim, bias=True)

    def forward(self, x: Tensor, cache: Tensor | None = None) -> tuple[Tensor, Tensor]:
        H, D, R, C = self.shape
        B, N, _ = x.shape
        P = 0 if cache is None else cache.shape[1]
        cs = phases(P, N, R, x)

        a = self.kv_a(x)
        a = torch.cat((turn(a[..., :R], cs), a[..., R:]), -1)
        cache = a if cache is None else torch.cat((cache, a), 1)

        q = self.q(x).view(B, N, H, R + D).transpose(1, 2)
        q = torch.cat((turn(q[..., :R], cs), q[..., R:]), -1)

        wide = torch.promote_types(x.dtype, torch.float32)
        q = q.to(wide) * (D + R) ** -0.5
        top = q.new_full((B, H, N, 1), float("-inf"))
        total = q.new_zeros(B, H, N, 1)
        acc = q.new_zeros(B, H, N, D)
        rows = torch.arange(P, P + N, device=x.device).unsqueeze(1)

        for lo in range(0, P + N, BLOCK):
            blk = cache[:, lo : lo + BLOCK]
            M = blk.shape[1]
            kv = self.kv_b(blk[..., R:]).view(B, M, H, 2 * D).transpose(1, 2)
            k = torch.cat((blk[..., :R].unsqueeze(1).expand(B, H, M, R), kv[..., :D]), -1).to(wide)
            v = kv[..., D:].to(wide)
            s = q @ k.transpose(-1, -2)
            s = s.masked_fill(torch.arange(lo, lo + M, device=x.device) > rows, float("-inf"))
            new_top = torch.maximum(top, s.amax(-1, keepdim=True))  # block 0 holds position 0: finite from there on
            shrink = torch.exp(top - new_top)
            e = torch.exp(s - new_top)
            total = total * shrink + e.sum(-1, keepdim=True)
            acc = acc * shrink + e @ v
            top = new_top

        y = (acc / total).to(x.dtype)
        return self.o(y.transpose(1, 2).reshape(B, N, H * D)), cache
