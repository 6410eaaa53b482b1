from __future__ import annotations

import torch
from torch import Tensor


def _phasors(positions: Tensor, pairs: int, base: float) -> Tensor:
    i = torch.arange(pairs, dtype=torch.float64, device=positions.device)
    theta = torch.pow(torch.tensor(base, dtype=torch.float64, device=positions.device), -i / pairs)
    angle = positions.double().unsqueeze(-1) * theta
    return torch.polar(torch.ones_like(angle), angle).to(torch.complex64)


def _turn(re_im: Tensor, positions: Tensor, base: float) -> Tensor:
    """re_im (..., length, pairs, 2) -> the same, each pair multiplied by its phasor."""
    wide = re_im.float() if re_im.dtype != torch.float64 else re_im
    z = torch.view_as_complex(wide.contiguous())
    return torch.view_as_real(z * _phasors(positions, z.shape[-1], base)).to(re_im.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    pairs = x.unflatten(-1, (2, -1)).transpose(-1, -2)
    return _turn(pairs, positions, base).transpose(-1, -2).flatten(-2)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    pairs = x.unflatten(-1, (-1, 2))
    return _turn(pairs, positions, base).flatten(-2)
