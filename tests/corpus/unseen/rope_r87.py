from __future__ import annotations

import torch
from torch import Tensor


def _turn(pairs: Tensor, positions: Tensor, base: float) -> Tensor:
    """Multiply pairs (..., length, head_dim/2), as complex numbers, by exp(i · angle)."""
    half = pairs.shape[-1]
    exponent = torch.arange(half, dtype=torch.float64, device=pairs.device) / -half
    angle = torch.outer(positions.to(torch.float64), torch.pow(float(base), exponent))
    return pairs * torch.polar(torch.ones_like(angle), angle).to(pairs.dtype)


def _wide(x: Tensor) -> Tensor:
    return x.to(torch.promote_types(x.dtype, torch.float32))


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    first, second = _wide(x).chunk(2, dim=-1)
    turned = _turn(torch.complex(first, second), positions, base)
    return torch.cat((turned.real, turned.imag), dim=-1).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    first, second = _wide(x).unflatten(-1, (-1, 2)).unbind(-1)
    turned = _turn(torch.complex(first, second), positions, base)
    return torch.view_as_real(turned).flatten(-2).to(x.dtype)
