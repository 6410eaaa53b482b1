from __future__ import annotations

from functools import partial

import torch
from torch import Tensor


def _unit(positions: Tensor, pairs: int, base: float) -> Tensor:
    k = torch.arange(pairs, device=positions.device, dtype=torch.float64)
    theta = torch.einsum("t,k->tk", positions.double(), torch.exp(-torch.log(torch.tensor(float(base), dtype=torch.float64, device=k.device)) * k / pairs))
    return torch.stack([theta.cos(), -theta.sin(), theta.sin(), theta.cos()], -1).unflatten(-1, (2, 2))


def _rope(pairing: str, x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    """Each pair is a vector of 2, multiplied by a matrix of 2 x 2 per position and pair."""
    pairs = x.shape[-1] // 2
    axis = {"halves": -2, "neighbours": -1}[pairing]
    cut = (2, pairs) if pairing == "halves" else (pairs, 2)
    vectors = x.unflatten(-1, cut).movedim(axis, -1)
    turn = _unit(positions, pairs, base).to(torch.promote_types(x.dtype, torch.float32))
    turned = torch.einsum("tkij,bhtkj->bhtki", turn, vectors.to(turn.dtype))
    return turned.movedim(-1, axis).flatten(-2).to(x.dtype)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return _rope("halves", x, positions, base)


rope_interleaved = partial(_rope, "neighbours")

if __name__ == "__main__":
    probe = torch.randn(1, 1, 3, 6)
    assert torch.allclose(rope_half_split(probe, torch.zeros(3, dtype=torch.int64)), probe)
