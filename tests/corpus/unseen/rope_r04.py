from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class RopeConfig:
    head_dim: int
    base: float

    def tables(self, positions: Tensor) -> tuple[Tensor, Tensor]:
        """(length, head_dim / 2) cosines and sines, always in float32."""
        exponent = torch.arange(self.head_dim // 2, device=positions.device).float().mul(2.0 / self.head_dim)
        frequency = 1.0 / (self.base ** exponent)
        angle = torch.outer(positions.float(), frequency)
        return angle.cos(), angle.sin()


def _turn(a: Tensor, b: Tensor, cos: Tensor, sin: Tensor) -> tuple[Tensor, Tensor]:
    return a * cos - b * sin, a * sin + b * cos


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    width = x.shape[-1]
    cos, sin = RopeConfig(width, float(base)).tables(positions)
    a, b = x[..., : width // 2], x[..., width // 2 :]
    a, b = _turn(a, b, cos.to(x.dtype), sin.to(x.dtype))
    return torch.cat((a, b), dim=-1)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    cos, sin = RopeConfig(x.shape[-1], float(base)).tables(positions)
    out = torch.empty_like(x)
    a, b = _turn(x[..., 0::2], x[..., 1::2], cos.to(x.dtype), sin.to(x.dtype))
    out[..., 0::2] = a
    out[..., 1::2] = b
    return out
