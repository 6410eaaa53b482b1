from __future__ import annotations

import torch
from torch import Tensor


def freqs_cis(positions: Tensor, head_dim: int, base: float) -> Tensor:
    exponent = torch.arange(head_dim // 2, device=positions.device, dtype=torch.float32)
    theta = base ** (-exponent / head_dim)
    angle = torch.outer(positions.to(torch.float32), theta)
    return torch.polar(torch.ones_like(angle), angle)


def _to_complex(a: Tensor, b: Tensor) -> Tensor:
    wide = torch.promote_types(a.dtype, torch.float32)
    return torch.complex(a.to(wide), b.to(wide))


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    a, b = x.tensor_split(2, dim=-1)
    turned = _to_complex(a, b) * freqs_cis(positions, x.size(-1), base)
    return torch.cat([turned.real, turned.imag], dim=-1).type_as(x)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    a, b = x.unflatten(-1, (-1, 2)).unbind(-1)
    turned = _to_complex(a, b) * freqs_cis(positions, x.size(-1), base)
    return torch.view_as_real(turned).flatten(-2).type_as(x)
