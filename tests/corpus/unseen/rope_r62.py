from __future__ import annotations

from functools import partial

import torch
from torch import Tensor


class Rotation:
    """A stack of 2x2 rotation matrices, one for each position and pair: (length, half, 2, 2)."""

    def __init__(self, positions: Tensor, half: int, base: float):
        exponent = torch.arange(0, 2 * half, 2, dtype=torch.float64, device="cpu") / (2 * half)
        self.speed = torch.pow(base, -exponent).to(positions.device)
        self.positions = positions

    @property
    def matrix(self) -> Tensor:
        a = self.positions.double().unsqueeze(-1) * self.speed
        c, s = torch.cos(a), torch.sin(a)
        return torch.stack([c, -s, s, c], dim=-1).unflatten(-1, (2, 2))


def _rope(x: Tensor, positions: Tensor, base: float = 10000, *, last: bool) -> Tensor:
    half = x.shape[-1] // 2
    m = Rotation(positions, half, base).matrix.to(torch.promote_types(x.dtype, torch.float32))
    grid = x.to(m.dtype).unflatten(-1, (half, 2) if last else (2, half))
    spec = "lhij,bnlhj->bnlhi" if last else "lhij,bnljh->bnlih"
    return torch.einsum(spec, m, grid).flatten(-2).to(x.dtype)


rope_half_split = partial(_rope, last=False)
rope_interleaved = partial(_rope, last=True)


if __name__ == "__main__":
    probe = torch.randn(1, 1, 3, 8)
    for f in (rope_half_split, rope_interleaved):
        print(torch.equal(f(probe, torch.zeros(3, dtype=torch.long)), probe))
