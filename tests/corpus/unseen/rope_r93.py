from __future__ import annotations

from enum import Enum
from functools import partial

import torch
from torch import Tensor


class Layout(Enum):
    """How pairs become complex numbers, and how these become pairs again."""

    HALVES = (lambda z, w: z.unflatten(-1, (2, w)).mT, lambda z: z.mT.flatten(-2))
    NEIGHBOURS = (lambda z, w: z.unflatten(-1, (w, 2)), lambda z: z.flatten(-2))

    def split(self, x: Tensor) -> Tensor:
        return self.value[0](x, x.shape[-1] // 2)

    def join(self, x: Tensor) -> Tensor:
        return self.value[1](x)


def _turn(layout: Layout, x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    width = x.shape[-1]
    exponent = torch.arange(0, width, 2, dtype=torch.float64, device=x.device) / -width
    angle = torch.outer(positions.double(), base**exponent)  # (length, width / 2)
    wide = torch.promote_types(x.dtype, torch.float32)
    phasor = torch.polar(torch.ones_like(angle), angle)
    pairs = torch.view_as_complex(layout.split(x.to(wide)).contiguous())
    turned = torch.view_as_real(pairs * phasor.to(pairs.dtype))
    return layout.join(turned).to(x.dtype)


rope_half_split = partial(_turn, Layout.HALVES)
rope_interleaved = partial(_turn, Layout.NEIGHBOURS)
