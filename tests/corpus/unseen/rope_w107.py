from __future__ import annotations

import torch
from torch import Tensor


def _tables(positions: Tensor, dim: int, base: float) -> tuple[Tensor, Tensor]:
    exponent = torch.arange(0, dim, 2, dtype=torch.float64, device=positions.device) / dim
    theta = torch.outer(positions.to(torch.float64), torch.pow(float(base), -exponent))
    theta = torch.cat((theta, theta), dim=-1)
    return theta.cos(), theta.sin()


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _tables(positions, x.shape[-1], base)
    front, back = x.tensor_split(2, dim=-1)
    turned = torch.cat((-back, front), dim=-1)
    return x * cos.to(x.dtype) + turned * sin.to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = _tables(positions, x.shape[-1], base)
    even, odd = x[..., ::2], x[..., 1::2]
    turned = torch.stack((-odd, even), dim=-1).flatten(-2)
    return x * cos.to(x.dtype) + turned * sin.to(x.dtype)
