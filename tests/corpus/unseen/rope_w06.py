from __future__ import annotations

import torch
from torch import Tensor

_TABLES: dict = {}


def _cos_sin(positions: Tensor, head_dim: int, base: float) -> tuple[Tensor, Tensor]:
    slot = (positions.numel(), head_dim, float(base), str(positions.device))
    if slot not in _TABLES:
        inv = base ** (-torch.arange(0, head_dim, 2, dtype=torch.float32, device=positions.device) / head_dim)
        phi = positions.to(torch.float32).unsqueeze(-1) * inv
        _TABLES[slot] = (phi.cos(), phi.sin())
    return _TABLES[slot]


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _cos_sin(positions, x.size(-1), base)
    cos = torch.cat((cos, cos), dim=-1).to(x.dtype)
    sin = torch.cat((sin, sin), dim=-1).to(x.dtype)
    x1, x2 = x.chunk(2, dim=-1)
    rotated = torch.cat((-x2, x1), dim=-1)
    return x * cos + rotated * sin


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _cos_sin(positions, x.size(-1), base)
    cos = cos.repeat_interleave(2, dim=-1).to(x.dtype)
    sin = sin.repeat_interleave(2, dim=-1).to(x.dtype)
    rotated = torch.stack((-x[..., 1::2], x[..., ::2]), dim=-1).flatten(-2)
    return x * cos + rotated * sin
