# wrong: rope rope-uses-turned line 23
# fair: rope-uses-turned 22 23
# attn-kata: rope
from __future__ import annotations

import math

import torch
from torch import Tensor


def _cos_sin(positions: Tensor, n_pair: int, base: float) -> tuple[Tensor, Tensor]:
    """(length, n_pair) each, float32"""
    step = -math.log(base) / n_pair
    freq = torch.exp(torch.arange(n_pair, device=positions.device, dtype=torch.float32) * step)
    theta = positions.float().unsqueeze(-1) * freq
    return torch.cos(theta), torch.sin(theta)


def _givens_(a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> None:
    """Givens 旋转,a 和 b 是输出缓冲区上的两个 view,原地写回。"""
    a.copy_(a * cos - b * sin)
    b.copy_(b * cos + a * sin)


def _fresh(x: Tensor) -> Tensor:
    # 不改调用方的输入
    return x.clone(memory_format=torch.contiguous_format)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    n_pair = x.size(-1) // 2
    cos, sin = _cos_sin(positions, n_pair, base)
    out = _fresh(x)
    _givens_(out.narrow(-1, 0, n_pair), out.narrow(-1, n_pair, n_pair), cos, sin)
    return out


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    n_pair = x.size(-1) // 2
    cos, sin = _cos_sin(positions, n_pair, base)
    out = _fresh(x)
    _givens_(out[..., 0::2], out[..., 1::2], cos, sin)
    return out
