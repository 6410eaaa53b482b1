import torch
from torch import Tensor

_TABLES: dict = {}


def _angles(positions: Tensor, half: int, base: float) -> Tensor:
    """Angles are the same for every layer, so make them once."""
    key = (int(positions[0]), len(positions), half, positions.device)
    if key not in _TABLES:
        i = torch.arange(half, device=positions.device, dtype=torch.float32)
        _TABLES[key] = positions.unsqueeze(1).float() * torch.exp(-i / half * torch.log(torch.tensor(float(base))))
    return _TABLES[key]


def _spin(first: Tensor, second: Tensor, angle: Tensor):
    c, s = torch.cos(angle).to(first.dtype), torch.sin(angle).to(first.dtype)
    return first * c - second * s, second * c + first * s


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    half = x.size(-1) // 2
    a, b = _spin(x[..., :half], x[..., half:], _angles(positions, half, base))
    return torch.cat([a, b], -1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    even, odd = x[..., ::2], x[..., 1::2]
    even, odd = _spin(even, odd, _angles(positions, even.size(-1), base))
    return torch.cat([even.unsqueeze(-1), odd.unsqueeze(-1)], -1).view(x.shape)
