# R(t, i) in SO(2) for position t and pair i; x is cut into pairs, index c = 0, 1, and rotated by einsum.
import math

import torch
from torch import einsum


def rotations(positions, half, base):
    i = torch.arange(half, device=positions.device, dtype=torch.float64)
    theta = torch.exp(-i * (math.log(base) / half))
    phi = einsum("t,i->ti", positions.double(), theta)
    row0 = torch.stack((phi.cos(), -phi.sin()), -1)
    row1 = torch.stack((phi.sin(), phi.cos()), -1)
    return torch.stack((row0, row1), -2)                      # (t, i, 2, 2)


def rope_half_split(x, positions, base=10000):
    half = x.shape[-1] // 2
    R = rotations(positions, half, base).to(x.dtype)
    X = x.unflatten(-1, (2, half))                            # pair index inside
    return einsum("tirc,bhtci->bhtri", R, X).flatten(-2)


def rope_interleaved(x, positions, base=10000):
    half = x.shape[-1] // 2
    R = rotations(positions, half, base).to(x.dtype)
    X = x.unflatten(-1, (half, 2))                            # pair index outside
    return einsum("tirc,bhtic->bhtir", R, X).flatten(-2)
