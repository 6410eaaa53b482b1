# wrong: linear linear-state-not-kept line 43
from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import elu

CHUNK = 7


def _split(t: Tensor, dim: int) -> tuple[Tensor, ...]:
    return t.split(CHUNK, dim=dim)


def _phi(t: Tensor) -> Tensor:
    if t.dtype in (torch.float16, torch.bfloat16):
        t = t.float()
    return elu(t) + 1.0


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    fq, fk = _phi(query), _phi(key)
    kv = torch.einsum("bhnd,bhnm->bhdm", fk, value.to(fk.dtype))
    inv = 1 / torch.einsum("bhld,bhd->bhl", fq, fk.sum(2))
    return torch.einsum("bhld,bhdm,bhl->bhlm", fq, kv, inv).to(query.dtype)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Within a chunk by running sums, across chunks by one carried state."""
    fq, fk = _phi(query), _phi(key)
    v = value.to(fk.dtype)
    b, h, _, d = fq.shape
    carry = torch.zeros(b, h, d, v.shape[-1], dtype=v.dtype, device=v.device)
    carry_z = torch.zeros(b, h, d, dtype=v.dtype, device=v.device)
    pieces = []
    for qc, kc, vc in zip(_split(fq, 2), _split(fk, 2), _split(v, 2)):
        run = torch.cumsum(kc.unsqueeze(-1) * vc.unsqueeze(-2), dim=2) + carry.unsqueeze(2)
        run_z = torch.cumsum(kc, dim=2) + carry_z.unsqueeze(2)
        num = torch.einsum("bhcd,bhcdm->bhcm", qc, run)
        den = torch.einsum("bhcd,bhcd->bhc", qc, run_z)
        pieces.append(num / den.unsqueeze(-1))
        carry = run[:, :, -1]
        carry_z = kc.sum(dim=2)
    return torch.cat(pieces, dim=2).to(query.dtype)
