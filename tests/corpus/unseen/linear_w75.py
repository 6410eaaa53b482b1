from __future__ import annotations

import torch
from torch import Tensor


def phi(x: Tensor) -> Tensor:
    return torch.nn.functional.elu(x) + 1.0


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    fq, fk = phi(query), phi(key)
    numerator = fq @ (fk.transpose(-2, -1) @ value)
    denominator = fq @ fk.sum(dim=-2).unsqueeze(-1)
    return numerator / denominator


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    fq, fk = phi(query), phi(key)
    batch, heads, length, head_dim = query.shape
    S = torch.zeros(batch, heads, head_dim, value.shape[-1], dtype=value.dtype, device=value.device)
    z = torch.zeros(batch, heads, head_dim, dtype=value.dtype, device=value.device)
    out = []
    for i in range(length):
        q, k, v = fq[:, :, i], fk[:, :, i], value[:, :, i]
        numerator = torch.einsum("bhd,bhde->bhe", q, S)
        denominator = torch.einsum("bhd,bhd->bh", q, z) + 1e-6
        out.append(numerator / denominator.unsqueeze(-1))
        S = S + torch.einsum("bhd,bhe->bhde", k, v)
        z = z + k
    return torch.stack(out, dim=2)
