from __future__ import annotations

import torch
from torch import Tensor

# Write a pair as z = a + ib: to rotate it is to multiply it by a number of length 1.


def phase(p: Tensor, n: int, c: float) -> Tensor:
    k = torch.arange(n // 2, device=p.device, dtype=torch.float32)
    w = c ** (-2 * k / n)
    return torch.exp(-1j * torch.einsum("t,k->tk", p.float(), w))


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    n = x.shape[-1]
    F = phase(positions, n, base)
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    z = torch.view_as_complex(y.unflatten(-1, (2, n // 2)).transpose(-1, -2).contiguous())
    y = torch.view_as_real(torch.einsum("bhtk,tk->bhtk", z, F.to(z.dtype)))
    return y.transpose(-1, -2).flatten(-2).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    n = x.shape[-1]
    F = phase(positions, n, base)
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    z = torch.view_as_complex(y.unflatten(-1, (n // 2, 2)).contiguous())
    y = torch.view_as_real(torch.einsum("bhtk,tk->bhtk", z, F.to(z.dtype)))
    return y.flatten(-2).to(x.dtype)
