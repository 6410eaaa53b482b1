from __future__ import annotations

import torch
from torch import Tensor

_FREQUENCIES: dict = {}


def _frequencies(head_dim: int, base: float, device) -> Tensor:
    where = (head_dim, str(device))
    if where not in _FREQUENCIES:
        exponent = torch.arange(0, head_dim, 2, dtype=torch.float32, device=device) / head_dim
        _FREQUENCIES[where] = 1.0 / base**exponent
    return _FREQUENCIES[where]


def _angles(x: Tensor, positions: Tensor, base: float) -> Tensor:
    return torch.einsum("t,f->tf", positions.float(), _frequencies(x.shape[-1], base, x.device))


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    angle = _angles(x, positions, base).repeat(1, 2)
    half = x.shape[-1] // 2
    turned = torch.cat((-x[..., half:], x[..., :half]), dim=-1)
    return (x * angle.cos() + turned * angle.sin()).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    angle = _angles(x, positions, base).repeat_interleave(2, dim=1)
    turned = torch.stack((-x[..., 1::2], x[..., 0::2]), dim=-1).reshape(x.shape)
    return (x * angle.cos() + turned * angle.sin()).to(x.dtype)
