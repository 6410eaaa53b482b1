import torch
from torch import Tensor


def _phasors(positions: Tensor, head_dim: int, base: float) -> Tensor:
    i = torch.arange(head_dim // 2, device=positions.device, dtype=torch.float64)
    theta = positions.double()[:, None] * base ** (-2 * i / head_dim)
    return torch.polar(torch.ones_like(theta), theta)


def _spin(pairs: Tensor, phasors: Tensor) -> Tensor:
    """pairs (..., length, head_dim / 2, 2), turned in the complex plane."""
    z = torch.view_as_complex(pairs.double().contiguous())
    return torch.view_as_real(z * phasors).to(pairs.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    pairs = x.unflatten(-1, (2, -1)).transpose(-1, -2)
    turned = _spin(pairs, _phasors(positions, x.shape[-1], base))
    return turned.flatten(-2)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    pairs = x.unflatten(-1, (-1, 2))
    turned = _spin(pairs, _phasors(positions, x.shape[-1], base))
    return turned.flatten(-2)
