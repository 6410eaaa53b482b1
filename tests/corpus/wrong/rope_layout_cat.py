# wrong: rope rope-layout-changed line 26
# fair: rope-layout-changed 24, 25, 26
from __future__ import annotations

import torch
from torch import Tensor


def _angles(positions: Tensor, dim: int, base: float) -> Tensor:
    freq = torch.pow(base, -torch.arange(0, dim, 2, device=positions.device, dtype=torch.float32) / dim)
    return torch.einsum("t,f->tf", positions.float(), freq)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    theta = _angles(positions, x.size(-1), base)
    a, b = x.chunk(2, dim=-1)
    cos, sin = theta.cos(), theta.sin()
    return torch.cat([a * cos - b * sin, a * sin + b * cos], dim=-1).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000.0) -> Tensor:
    theta = _angles(positions, x.size(-1), base)
    a, b = x[..., 0::2], x[..., 1::2]
    cos, sin = theta.cos(), theta.sin()
    turned = (a * cos - b * sin, a * sin + b * cos)
    return torch.cat(turned, dim=-1).to(x.dtype)
