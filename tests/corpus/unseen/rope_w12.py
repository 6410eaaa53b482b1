from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass(frozen=True)
class RotaryConfig:
    head_dim: int
    base: float = 10000.0

    def table(self, offset: int, length: int, device) -> tuple[Tensor, Tensor]:
        """cos and sin for the positions offset .. offset + length - 1, each (length, head_dim / 2)."""
        t = torch.arange(offset, offset + length, device=device, dtype=torch.float32)
        k = torch.arange(self.head_dim // 2, device=device, dtype=torch.float32)
        ang = t.unsqueeze(1) / self.base ** (2 * k / self.head_dim)
        return ang.cos(), ang.sin()


def _apply(x1: Tensor, x2: Tensor, cos: Tensor, sin: Tensor):
    return torch.addcmul(x1 * cos, x2, sin, value=-1), torch.addcmul(x2 * cos, x1, sin)


def _tables(x: Tensor, positions: Tensor, base: float):
    past = int(positions[0])
    cos, sin = RotaryConfig(x.shape[-1], base).table(past, x.shape[-2], x.device)
    wide = torch.promote_types(x.dtype, torch.float32)
    return x.to(wide), cos.to(wide), sin.to(wide)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    xw, cos, sin = _tables(x, positions, base)
    first, second = xw.chunk(2, -1)
    return torch.cat(_apply(first, second, cos, sin), -1).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    xw, cos, sin = _tables(x, positions, base)
    even, odd = xw.unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack(_apply(even, odd, cos, sin), -1).flatten(-2).to(x.dtype)
