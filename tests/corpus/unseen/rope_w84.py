from __future__ import annotations

import torch
from torch import Tensor


class RotaryTable:
    """Complex rotations e^(i * p * freq) for positions 0, 1, 2, ..., grown by doubling."""

    def __init__(self, head_dim: int, base: float, device: torch.device, rows: int = 512) -> None:
        exponent = torch.arange(0, head_dim, 2, dtype=torch.float64, device=device) / head_dim
        self.freq = float(base) ** -exponent
        self.fill(rows)

    def fill(self, rows: int) -> None:
        p = torch.arange(rows, dtype=torch.float64, device=self.freq.device)
        angle = p[:, None] * self.freq
        self.rot = torch.polar(torch.ones_like(angle), angle)

    def __call__(self, positions: Tensor) -> Tensor:
        highest = int(positions.max())
        while highest > self.rot.shape[0]:
            self.fill(2 * self.rot.shape[0])
        return self.rot[positions]


_TABLES: dict = {}


def _rotation(x: Tensor, positions: Tensor, base: float) -> Tensor:
    key = (x.shape[-1], float(base), x.device)
    if key not in _TABLES:
        _TABLES[key] = RotaryTable(*key)
    return _TABLES[key](positions)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    re, im = x.double().chunk(2, dim=-1)
    out = torch.complex(re.contiguous(), im.contiguous()) * _rotation(x, positions, base)
    return torch.cat([out.real, out.imag], dim=-1).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    pairs = x.double().unflatten(-1, (-1, 2))
    out = torch.complex(pairs[..., 0], pairs[..., 1]) * _rotation(x, positions, base)
    return torch.view_as_real(out).flatten(-2).to(x.dtype)
