from __future__ import annotations

import functools
import math

import torch
from torch import Tensor
from einops import rearrange, repeat


@functools.lru_cache(maxsize=64)
def _log_freqs(half: int, base: float) -> tuple[float, ...]:
    return tuple(-math.log(base) * i / half for i in range(half))


def _tables(x: Tensor, positions: Tensor, base: float, pattern: str) -> tuple[Tensor, Tensor]:
    half = x.shape[-1] // 2
    inv_freq = torch.tensor(_log_freqs(half, float(base)), dtype=torch.float32, device=x.device).exp()
    theta = torch.einsum("t,i->ti", positions.to(torch.float32), inv_freq)
    return tuple(repeat(f(theta), pattern, r=2).to(x.dtype) for f in (torch.cos, torch.sin))


def rotate_half(x: Tensor) -> Tensor:
    a, b = rearrange(x, "... (r d) -> r ... d", r=2)
    return torch.cat((-b, a), dim=-1)


def rotate_every_two(x: Tensor) -> Tensor:
    a, b = rearrange(x, "... (d r) -> r ... d", r=2)
    return rearrange(torch.stack((-b, a), dim=-1), "... d r -> ... (d r)")


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _tables(x, positions, base, "t i -> t (r i)")
    return x * cos + rotate_half(x) * sin


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _tables(x, positions, base, "t i -> t (i r)")
    return x * cos + rotate_every_two(x) * sin
