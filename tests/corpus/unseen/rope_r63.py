from __future__ import annotations

import torch
from torch import Tensor


def _rotor(n: int, p: Tensor, b: float, t: torch.dtype) -> Tensor:
    """exp(i p w), (length, n/2), with w_k = b^(-2k/n)."""
    k = torch.arange(n // 2, dtype=torch.float64, device=p.device)
    w = torch.pow(torch.tensor(b, dtype=torch.float64, device=p.device), -2 * k / n)
    a = torch.einsum("t,k->tk", p.to(w.dtype), w).to(t)
    return torch.polar(torch.ones_like(a), a)


def _wide(x: Tensor) -> Tensor:
    return x if x.dtype is torch.float64 else x.to(torch.float32)


def rope_half_split(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    u = _wide(x)
    a, b = u.tensor_split(2, dim=-1)
    z = torch.complex(a.contiguous(), b.contiguous())
    z = z * _rotor(x.size(-1), positions, base, u.dtype)
    return torch.cat([z.real, z.imag], dim=-1).to(x.dtype)


def rope_interleaved(x: Tensor, positions: Tensor, base: float = 10000) -> Tensor:
    u = _wide(x).contiguous()
    z = torch.view_as_complex(u.unflatten(-1, (-1, 2)))
    z = z * _rotor(x.size(-1), positions, base, u.dtype)
    return torch.view_as_real(z).flatten(-2).to(x.dtype)
