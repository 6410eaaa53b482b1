import torch
from torch import Tensor

_FREQ: dict = {}


def _inverse_frequencies(head_dim: int, base: float, device) -> Tensor:
    """base^(-2i/head_dim) in float32, kept from call to call."""
    key = (head_dim, device)
    if key not in _FREQ:
        steps = torch.arange(0, head_dim, 2, dtype=torch.float32, device=device)
        _FREQ[key] = 1.0 / (base ** (steps / head_dim))
    return _FREQ[key]


def _cos_sin(x: Tensor, positions: Tensor, base: float) -> tuple[Tensor, Tensor]:
    angle = positions.float()[:, None] * _inverse_frequencies(x.shape[-1], base, x.device)
    return angle.cos().to(x.dtype), angle.sin().to(x.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _cos_sin(x, positions, base)
    a, b = x.chunk(2, dim=-1)
    return torch.cat((a * cos - b * sin, b * cos + a * sin), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _cos_sin(x, positions, base)
    a, b = x[..., 0::2], x[..., 1::2]
    return torch.stack((a * cos - b * sin, b * cos + a * sin), dim=-1).flatten(-2)
