from __future__ import annotations

import torch
from torch import Tensor


def _turns(positions: Tensor, width: int, base: float, dtype: torch.dtype) -> Tensor:
    """(length, width / 2) complex numbers of length 1."""
    pair = torch.arange(width // 2, device=positions.device, dtype=dtype)
    speed = torch.pow(torch.tensor(base, dtype=dtype, device=positions.device), -2 * pair / width)
    angle = torch.outer(positions.to(dtype), speed)
    return torch.complex(angle.cos(), angle.sin())


def _wide(x: Tensor) -> torch.dtype:
    return torch.promote_types(x.dtype, torch.float32)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    a, b = x.to(_wide(x)).tensor_split(2, dim=-1)
    z = torch.complex(a, b) * _turns(positions, x.shape[-1], base, a.dtype)
    return torch.cat((z.real, z.imag), dim=-1).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    pairs = x.to(_wide(x)).unflatten(-1, (-1, 2)).contiguous()
    z = torch.view_as_complex(pairs) * _turns(positions, x.shape[-1], base, pairs.dtype)
    return torch.view_as_real(z).flatten(-2).to(x.dtype)
