import torch
from torch import Tensor


def _rotate(pairs: Tensor, positions: Tensor, base: float) -> Tensor:
    """pairs: (..., length, n, 2).  Complex numbers do the work, as in Meta's code."""
    n = pairs.shape[-2]
    freqs = 1.0 / (base ** (torch.arange(n, device=pairs.device, dtype=torch.float32) / n))
    angles = torch.outer(positions.float(), freqs)
    turn = torch.polar(torch.ones_like(angles), angles)
    z = torch.view_as_complex(pairs.float().contiguous())
    return torch.view_as_real(z * turn).to(pairs.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return _rotate(x.unflatten(-1, (-1, 2)), positions, base).flatten(-2)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return _rotate(x.unflatten(-1, (2, -1)).transpose(-1, -2), positions, base).transpose(-1, -2).flatten(-2)
