from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=8)
def frequencies(head_dim: int, base: float, device: torch.device) -> Tensor:
    pair = torch.arange(head_dim // 2, dtype=torch.float64, device=device)
    return base ** (-2 * pair / head_dim)


def cos_sin(x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
    angles = positions.unsqueeze(-1) * frequencies(x.size(-1), float(base), x.device)
    return angles.cos().to(x.dtype), angles.sin().to(x.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = cos_sin(x, positions, base)
    left, right = x.tensor_split(2, dim=-1)
    return torch.cat((left * cos - right * sin, right * cos + left * sin), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = cos_sin(x, positions, base)
    out = x.clone()
    out[..., 0::2] = out[..., 0::2] * cos - out[..., 1::2] * sin
    out[..., 1::2] = out[..., 1::2] * cos + out[..., 0::2] * sin
    return out
