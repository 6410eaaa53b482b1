# attn-kata: mla
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn


@dataclass(frozen=True)
class LatentCache:
    latent: Tensor
    k_pe: Tensor


def apply_rope(x: Tensor, positions: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    freqs = torch.pow(10000.0, -torch.arange(half, dtype=torch.float64, device=x.device) / half)
    angles = positions.to(torch.float64)[:, None] * freqs
    phase = torch.polar(torch.ones_like(angles), angles)
    z = torch.complex(x[..., :half].to(torch.float64), x[..., half:].to(torch.float64)) * phase
    return torch.cat((z.real, z.imag), dim=-1).to(x.dtype)


class MultiHeadLatentAttention(nn.Module):
    def __init__(
        self, hidden_dim: int, num_heads: int, head_dim: int, rope_dim: int, latent_dim: int
    ) -> None:
        super().__init__()
        self.n_heads = num_heads
        self.nope, self.rope, self.rank = head_dim, rope_dim, latent_dim
        self.q_nope = nn.Linear(hidden_dim, num_heads * head_dim, bias=False)
        self.q_pe = nn.Linear(hidden_dim, num_heads * rope_dim, bias=False)
        self.kv_down = nn.Linear(hidden_dim, latent_dim, bias=False)
        self.key_rope = nn.Linear(hidden_dim, rope_dim, bias=False)
        self.kv_up = nn.Linear(latent_dim, 2 * num_heads * head_dim, bias=False)
        self.o_proj = nn.Linear(num_heads * head_dim, hidden_dim, bias=False)
        self.softmax_scale = (head_dim + rope_dim) ** -0.5

    def forward(self, x: Tensor, cache: Any = None) -> tuple[Tensor, Any]:
        bsz, seqlen, _ = x.size()
        start = 0 if cache is None else cache.latent.size(1)
        pos = torch.arange(start, start + seqlen, device=x.device)
        q_nope = self.q_nope(x).view(bsz, seqlen, self.n_heads, self.nope).transpose(1, 2)
        q_pe = self.q_pe(x).view(bsz, seqlen, self.n_heads, self.rope).transpose(1, 2)
        q = torch.cat([q_nope, apply_rope(q_pe, pos)], dim=-1)

        latent, k_pe = self.kv_down(x), apply_rope(self.key_rope(x), pos)
        if cache is not None:
            latent = torch.cat([cache.latent, latent], dim=1)
            k_pe = torch.cat([cache.k_pe, k_pe], dim=1)
        end = start + seqlen
        k_nope, v = self.kv_up(latent).view(bsz, end, 2, self.n_heads, self.nope).permute(2, 0, 3, 1, 4)
        k = torch.cat([k_nope, k_pe.unsqueeze(1).expand(-1, self.n_heads, -1, -1)], dim=-1)

        scores = q.matmul(k.transpose(2, 3)) * self.softmax_scale
        mask = torch.full((seqlen, end), float("-inf"), device=x.device, dtype=x.dtype).triu_(start + 1)
        out = (scores + mask).softmax(dim=-1).matmul(v)
        return self.o_proj(out.transpose(1, 2).flatten(2)), LatentCache(latent, k_pe)
