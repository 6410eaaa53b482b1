from __future__ import annotations

import math
from typing import NamedTuple, Optional

import torch
from torch import Tensor, nn


class Slot(NamedTuple):
    latent: Tensor  # [nb, n, latent_dim]
    rotary: Tensor  # [nb, n, rope_dim]


def pack(t: Tensor) -> Tensor:
    # two bytes a number are plenty for storage
    return t.to(torch.float16)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.nh, self.hd, self.rd, self.ld = num_heads, head_dim, rope_dim, latent_dim
        self.norm = 1.0 / math.sqrt(head_dim + rope_dim)
        self.Wq = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim))
        self.Wdown = nn.Linear(hidden_dim, latent_dim)
        self.Wrope = nn.Linear(hidden_dim, rope_dim)
        self.Wup = nn.Linear(latent_dim, 2 * num_heads * head_dim)
        self.Wo = nn.Linear(num_heads * head_dim, hidden_dim)

    def rope_(self, t: Tensor, begin: int) -> Tensor:
        """t: [..., n, rope_dim]; row r stands at position begin + r."""
        half = self.rd // 2
        out = torch.empty_like(t)
        pos = torch.arange(begin, begin + t.size(-2), device=t.device, dtype=torch.float64)
        for i in range(half):
            theta = pos * 10000.0 ** (-2.0 * i / self.rd)
            c, s = theta.cos().to(t.dtype), theta.sin().to(t.dtype)
            a, b = t[..., i], t[..., i + half]
            out[..., i] = a * c - b * s
            out[..., i + half] = a * s + b * c
        return out

    def forward(self, x: Tensor, cache: Optional[Slot] = None) -> tuple[Tensor, Slot]:
        nb, n, _ = x.shape
        begin = cache.latent.size(1) if cache is not None else 0

        q = self.Wq(x).view(nb, n, self.nh, self.hd + self.rd).transpose(1, 2)
        qc, qr = q[..., : self.hd], self.rope_(q[..., self.hd :], begin)
        latent, rotary = self.Wdown(x), self.rope_(self.Wrope(x), begin)
        if cache is not None:
            latent = torch.cat([cache.latent.to(latent.dtype), latent], 1)
            rotary = torch.cat([cache.rotary.to(rotary.dtype), rotary], 1)

        m = begin + n
        kv = self.Wup(latent).view(nb, m, 2, self.nh, self.hd)
        k, v = kv[:, :, 0].transpose(1, 2), kv[:, :, 1].transpose(1, 2)
        s = torch.matmul(qc, k.transpose(2, 3)) + torch.matmul(qr, rotary[:, None].transpose(2, 3))
        ahead = torch.ones(n, m, dtype=torch.bool, device=x.device).triu(begin + 1)
        p = torch.softmax((s * self.norm).masked_fill(ahead, -math.inf), 3)
        o = torch.matmul(p, v).transpose(1, 2).reshape(nb, n, self.nh * self.hd)
        return self.Wo(o), Slot(pack(latent), pack(rotary))
