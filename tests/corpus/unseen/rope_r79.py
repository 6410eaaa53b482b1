import math
import torch
from torch import Tensor


def _turn(x: Tensor, positions: Tensor, base: float) -> Tensor:
    """unit complex numbers, (length, head_dim/2), in double precision"""
    half = x.shape[-1] // 2
    log_speed = torch.arange(half, device=x.device, dtype=torch.float64) * (-math.log(base) / half)
    angle = torch.outer(positions.double(), log_speed.exp())
    return torch.polar(torch.ones_like(angle), angle)


def _as_complex(a: Tensor, b: Tensor) -> Tensor:
    return torch.complex(a.double(), b.double())


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    z = _as_complex(*x.chunk(2, dim=-1)) * _turn(x, positions, base)
    return torch.cat((z.real, z.imag), dim=-1).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    z = torch.view_as_complex(x.double().unflatten(-1, (-1, 2)).contiguous())
    return torch.view_as_real(z * _turn(x, positions, base)).flatten(-2).to(x.dtype)
