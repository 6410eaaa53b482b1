# attn-kata: rope
import torch
from torch import Tensor


def _phases(positions: Tensor, pairs: int, base: float) -> Tensor:
    freqs = 1.0 / torch.tensor(base, dtype=torch.float64, device=positions.device) ** (
        torch.arange(pairs, dtype=torch.float64, device=positions.device) / pairs
    )
    angles = torch.outer(positions.double(), freqs)
    return torch.polar(torch.ones_like(angles), angles)


def _turn(pairs: Tensor, positions: Tensor, base: float) -> Tensor:
    """pairs (..., length, head_dim/2, 2)"""
    z = torch.view_as_complex(pairs.double().contiguous())
    return torch.view_as_real(z * _phases(positions, pairs.shape[-2], base))


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    pairs = x.unflatten(-1, (2, -1)).transpose(-1, -2)
    return _turn(pairs, positions, base).transpose(-1, -2).flatten(-2).type_as(x)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return _turn(x.unflatten(-1, (-1, 2)), positions, base).flatten(-2).type_as(x)
