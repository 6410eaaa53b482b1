# attn-kata: rope
import torch
from torch import Tensor


def _unit(positions: Tensor, half: int, base: float) -> Tensor:
    """complex e^{i·p·theta}, (length, half), complex64 on x's device"""
    i = torch.arange(half, device=positions.device, dtype=torch.float32)
    theta = torch.pow(torch.tensor(float(base), device=positions.device), -i / half)
    angle = positions.to(torch.float32).unsqueeze(-1) * theta
    return torch.polar(torch.ones_like(angle), angle)


def _turn(pairs: Tensor, positions: Tensor, base: float) -> Tensor:
    # pairs: (..., length, half, 2)
    wide = torch.float64 if pairs.dtype == torch.float64 else torch.float32
    z = torch.view_as_complex(pairs.to(wide).contiguous())
    z = z * _unit(positions, pairs.shape[-2], base).to(z.dtype)
    return torch.view_as_real(z)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    a, b = x.chunk(2, dim=-1)
    out = _turn(torch.stack((a, b), dim=-1), positions, base)
    return out.transpose(-1, -2).flatten(-2).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    out = _turn(x.unflatten(-1, (-1, 2)), positions, base)
    return out.flatten(-2).to(x.dtype)
