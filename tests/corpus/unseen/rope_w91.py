from __future__ import annotations

import torch
from torch import Tensor


def rotate_half(x: Tensor) -> Tensor:
    half = x.shape[-1] // 2
    x1, x2 = x[..., :half], x[..., half:]
    return torch.cat((x2, -x1), dim=-1)


def rotate_pairs(x: Tensor) -> Tensor:
    x1, x2 = x[..., 0::2], x[..., 1::2]
    return torch.stack((-x2, x1), dim=-1).reshape(x.shape)


class Rotary:
    def __init__(self, dim: int, base: float) -> None:
        self.dim, self.base = dim, base

    def angles(self, positions: Tensor) -> Tensor:
        exponent = torch.arange(0, self.dim, 2, device=positions.device).float() / self.dim
        inv_freq = 1.0 / (self.base**exponent)
        return torch.outer(positions.float(), inv_freq)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    freqs = Rotary(x.shape[-1], base).angles(positions)
    emb = torch.cat((freqs, freqs), dim=-1)
    return (x * emb.cos() + rotate_half(x) * emb.sin()).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    freqs = Rotary(x.shape[-1], base).angles(positions)
    emb = freqs.repeat_interleave(2, dim=-1)
    return (x * emb.cos() + rotate_pairs(x) * emb.sin()).to(x.dtype)
