# freqs_cis, as in Meta's release, for both layouts
from __future__ import annotations

import torch
from torch import Tensor


def precompute_freqs_cis(dim: int, start_pos: int, end: int, theta: float, device) -> Tensor:
    freqs = 1.0 / (theta ** (torch.arange(0, dim, 2, device=device)[: (dim // 2)].double() / dim))
    t = torch.arange(start_pos, end, device=device, dtype=torch.float64)
    freqs = torch.outer(t, freqs)
    return torch.polar(torch.ones_like(freqs), freqs)


def apply_rotary_emb(pairs: Tensor, positions: Tensor, theta: float) -> Tensor:
    """pairs: (batch, heads, length, head_dim/2, 2), the last axis being real and imaginary."""
    start_pos = int(positions[0])
    seqlen, half = pairs.shape[2:4]
    freqs_cis = precompute_freqs_cis(2 * half, start_pos, start_pos + seqlen, theta, pairs.device)
    rotated = torch.view_as_complex(pairs.double().contiguous()) * freqs_cis
    return torch.view_as_real(rotated).to(pairs.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    pairs = torch.stack(x.chunk(2, dim=-1), dim=-1)
    out = apply_rotary_emb(pairs, positions, base)
    return torch.cat((out[..., 0], out[..., 1]), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    pairs = x.reshape(*x.shape[:-1], -1, 2)
    return apply_rotary_emb(pairs, positions, base).flatten(3)
