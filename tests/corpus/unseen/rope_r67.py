# One rotation routine; the two layouts differ in where a and b are read and how they are written.
from __future__ import annotations

from typing import Callable

import torch
from torch import Tensor


def mat2(angle: Tensor) -> Tensor:
    """(..., ) -> (..., 2, 2), column vectors on the right, as mat2(c, s, -s, c) in GLSL."""
    c, s = torch.cos(angle), torch.sin(angle)
    return torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)


def rotator(unpack: Callable[[Tensor], Tensor], pack: Callable[[Tensor], Tensor]):
    def rotate(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
        pairs = unpack(x)  # (batch, heads, length, head_dim/2, 2)
        i = torch.arange(pairs.shape[-2], device=x.device, dtype=torch.float64)
        speed = float(base) ** (-2.0 * i / x.shape[-1])
        m = mat2(positions.double().outer(speed)).to(x.dtype)
        return pack(torch.einsum("tkij,bhtkj->bhtki", m, pairs))

    return rotate


rope_half_split = rotator(
    lambda x: torch.stack(x.chunk(2, dim=-1), dim=-1),
    lambda p: torch.cat(p.unbind(-1), dim=-1),
)
rope_interleaved = rotator(
    lambda x: x.unflatten(-1, (-1, 2)),
    lambda p: p.flatten(-2),
)
