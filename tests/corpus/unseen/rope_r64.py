from __future__ import annotations

import math

import torch
from torch import Tensor

# Both layouts are one kernel that walks over (first, second) with its own strides:
#   half split   first = x[..., :h]     second = x[..., h:]
#   interleaved  first = x[..., 0::2]   second = x[..., 1::2]


def _sincos(positions: Tensor, head_dim: int, base: float, dtype: torch.dtype):
    half = head_dim // 2
    step = -math.log(base) * 2.0 / head_dim
    table = torch.empty(2, positions.numel(), half, dtype=torch.float32, device=positions.device)
    freq = torch.arange(half, dtype=torch.float32, device=positions.device).mul_(step).exp_()
    angles = positions.to(torch.float32).unsqueeze(1) * freq
    torch.cos(angles, out=table[0])
    torch.sin(angles, out=table[1])
    return table.to(dtype).unbind(0)


def _kernel(x: Tensor, positions: Tensor, base: float, first: slice, second: slice) -> Tensor:
    cos, sin = _sincos(positions, x.shape[-1], base, x.dtype)
    src_a, src_b = x[..., first], x[..., second]
    dst = torch.empty_like(x, memory_format=torch.contiguous_format)
    dst[..., first] = torch.addcmul(src_a * cos, src_b, sin, value=-1)
    dst[..., second] = torch.addcmul(src_b * cos, src_a, sin)
    return dst


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    half = x.shape[-1] // 2
    return _kernel(x, positions, base, slice(None, half), slice(half, None))


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    return _kernel(x, positions, base, slice(0, None, 2), slice(1, None, 2))


if __name__ == "__main__":
    t = torch.randn(2, 3, 5, 8)
    p = torch.arange(4000, 4005)
    for f in (rope_half_split, rope_interleaved):
        assert torch.allclose(f(t, p).norm(dim=-1), t.norm(dim=-1), atol=1e-5)
