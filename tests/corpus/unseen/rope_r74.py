"""Both pairings are one function; they differ in which of two axes runs over a pair's members."""
from functools import partial

import torch


def _matrices(positions, pairs, base):
    """(length, pairs, 2, 2): [[cos, -sin], [sin, cos]] of every angle."""
    i = torch.arange(pairs, device=positions.device, dtype=torch.float32)
    angle = torch.outer(positions.to(torch.float32), torch.pow(float(base), -2 * i / (2 * pairs)))
    c, s = angle.cos(), angle.sin()
    return torch.stack([c, -s, s, c], dim=-1).unflatten(-1, (2, 2))


def _rope(x, positions, base=10000, *, member_axis):
    sizes = [-1, -1]
    sizes[member_axis] = 2
    pairs = x.shape[-1] // 2
    sizes[1 - member_axis] = pairs
    cells = x.unflatten(-1, sizes)
    if member_axis == 0:
        cells = cells.transpose(-2, -1)                       # (..., pairs, 2)
    turned = torch.einsum("tpij,bhtpj->bhtpi", _matrices(positions, pairs, base).to(x.dtype), cells)
    if member_axis == 0:
        turned = turned.transpose(-2, -1)
    return turned.flatten(-2)


rope_half_split = partial(_rope, member_axis=0)
rope_interleaved = partial(_rope, member_axis=1)
