from __future__ import annotations

import torch
from torch import Tensor


def _cos_sin(positions: Tensor, head_dim: int, base: float) -> tuple[Tensor, Tensor]:
    pair = torch.arange(0, head_dim, 2, device=positions.device).float()
    angle = torch.outer(positions.float(), base ** (-pair / head_dim))
    return angle.cos(), angle.sin()


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _cos_sin(positions, x.size(-1), base)
    a, b = x.float().chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1).type_as(x)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _cos_sin(positions, x.size(-1), base)
    out = x.to(torch.promote_types(x.dtype, torch.float32), copy=True)
    a, b = out[..., 0::2], out[..., 1::2]
    first = a * cos - b * sin
    out[..., 0::2] = first
    out[..., 1::2] = b * cos + a * sin
    return out.type_as(x)
