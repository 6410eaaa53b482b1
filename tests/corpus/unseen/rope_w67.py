from __future__ import annotations

import math

import torch
from torch import Tensor


def get_timing_signal(positions: Tensor, channels: int, max_timescale: float):
    """cos and sin of (length, channels / 2), with timescales as in tensor2tensor."""
    num_timescales = channels // 2
    log_timescale_increment = math.log(float(max_timescale)) / max(num_timescales - 1, 1)
    steps = torch.arange(num_timescales, dtype=torch.float32, device=positions.device)
    inv_timescales = torch.exp(steps * -log_timescale_increment)
    scaled_time = torch.unsqueeze(positions.float(), 1) * torch.unsqueeze(inv_timescales, 0)
    return torch.cos(scaled_time), torch.sin(scaled_time)


def _rotate(first: Tensor, second: Tensor, cos: Tensor, sin: Tensor):
    cos, sin = cos.type_as(first), sin.type_as(first)
    return first * cos - second * sin, second * cos + first * sin


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = get_timing_signal(positions, x.shape[-1], base)
    first, second = torch.chunk(x, 2, dim=-1)
    return torch.concat(_rotate(first, second, cos, sin), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = get_timing_signal(positions, x.shape[-1], base)
    first, second = torch.unbind(torch.unflatten(x, -1, (-1, 2)), dim=-1)
    return torch.flatten(torch.stack(_rotate(first, second, cos, sin), dim=-1), start_dim=-2)
