import torch
from einops import rearrange
from torch import Tensor, einsum


def table(dim: int, positions: Tensor, base: float, dtype: torch.dtype):
    pairs = torch.arange(dim // 2, device=positions.device, dtype=torch.float64)
    rates = base ** (-2 * pairs / dim)
    angles = einsum("t, i -> t i", positions.double(), rates)
    return angles.cos().to(dtype), angles.sin().to(dtype)


def turn(a: Tensor, b: Tensor, positions: Tensor, base: float):
    cos, sin = table(2 * a.shape[-1], positions, base, a.dtype)
    return a * cos - b * sin, b * cos + a * sin


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    a, b = rearrange(x, "b h t (two i) -> two b h t i", two=2)
    return rearrange(list(turn(a, b, positions, base)), "two b h t i -> b h t (two i)")


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    a, b = rearrange(x, "b h t (i two) -> two b h t i", two=2)
    return rearrange(list(turn(a, b, positions, base)), "two b h t i -> b h t (i two)")
