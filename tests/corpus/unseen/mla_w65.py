from __future__ import annotations

import torch
from torch import Tensor, nn


def rope(t: Tensor, pos: Tensor) -> Tensor:
    """t (..., length, d), pos (length,)"""
    d = t.size(-1)
    acc = torch.float64 if t.dtype == torch.float64 else torch.float32
    freq = 10000.0 ** (torch.arange(d // 2, device=t.device, dtype=acc) * (-2.0 / d))
    ang = pos.to(acc)[:, None] * freq
    a, b = t.to(acc).chunk(2, -1)
    return torch.cat([a * ang.cos() - b * ang.sin(), a * ang.sin() + b * ang.cos()], -1).to(t.dtype)


class MultiHeadLatentAttention(nn.Module):
    """Multi-query attention over [latent | rotary key], up-projections absorbed."""

    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.num_heads, self.head_dim = num_heads, head_dim
        self.rope_dim, self.latent_dim = rope_dim, latent_dim
        self.q = nn.Linear(hidden_dim, num_heads * (head_dim + rope_dim), bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.k_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.k_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.v_up = nn.Linear(latent_dim, num_heads * head_dim, bias=False)
        self.o = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)

    def forward(self, x: Tensor, cache: tuple[Tensor, Tensor] | None = None):
        n = x.size(1)
        start = cache[0].size(1) if cache is not None else 0
        pos = torch.arange(start, start + n, device=x.device)

        q = self.q(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
        q_c, q_r = q.split([self.head_dim, self.rope_dim], -1)
        c, k_r = self.kv_down(x), rope(self.k_rope(x), pos)
        if cache is not None:
            c, k_r = torch.cat([cache[0], c], 1), torch.cat([cache[1], k_r], 1)

        k_up = self.k_up.weight.unflatten(0, (self.num_heads, -1))  # (h, head_dim, latent)
        v_up = self.v_up.weight.unflatten(0, (self.num_heads, -1))
        q_full = torch.cat([q_c @ k_up, rope(q_r, pos)], -1)
        k_full = torch.cat([c, k_r], -1).unsqueeze(1)
        att = q_full @ k_full.mT * q_full.size(-1) ** -0.5
        att = att.masked_fill(
            torch.arange(start + n, device=x.device) > pos[:, None], torch.finfo(att.dtype).min
        ).softmax(-1)
        ctx = (att @ c.unsqueeze(1)) @ v_up.mT
        return self.o(ctx.transpose(1, 2).flatten(2)), (c, k_r)
