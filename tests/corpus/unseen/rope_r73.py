# A pair is one complex number, and a rotation is one product.
import torch
from torch import Tensor


def phasor(positions: Tensor, pairs: int, base: float, real: torch.dtype) -> Tensor:
    speed = base ** (-torch.arange(pairs, dtype=torch.float64, device=positions.device) / pairs)
    angle = positions.double()[:, None] * speed
    return torch.polar(torch.ones_like(angle), angle).to(torch.complex128 if real == torch.float64 else torch.complex64)


def turn(a: Tensor, b: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
    z = torch.complex(a, b) * phasor(positions, a.shape[-1], base, a.dtype)
    return z.real, z.imag


def _wide(x: Tensor) -> Tensor:
    return x if x.dtype in (torch.float32, torch.float64) else x.float()


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    first, second = _wide(x).tensor_split(2, dim=-1)
    return torch.cat(turn(first, second, positions, base), dim=-1).type_as(x)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    wide = _wide(x)
    even, odd = wide[..., ::2], wide[..., 1::2]
    return torch.stack(turn(even, odd, positions, base), dim=-1).flatten(-2).type_as(x)
