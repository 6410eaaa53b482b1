# attn-kata: linear
from __future__ import annotations

import torch
from torch import Tensor


# JAX habits: pure functions, one einsum per contraction, scan spelled as cumsum.
# axes: b batch, h heads, q/k positions, d head_dim, m value_dim


def _feature_map(x: Tensor) -> Tensor:
    return torch.nn.functional.elu(x) + 1


def _promote(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(t.to(torch.promote_types(t.dtype, torch.float32)) for t in tensors)


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k, v = _promote(query, key, value)
    q, k = map(_feature_map, (q, k))
    kv = torch.einsum("bhkd,bhkm->bhdm", k, v)
    numerator = torch.einsum("bhqd,bhdm->bhqm", q, kv)
    denominator = torch.einsum("bhqd,bhd->bhq", q, k.sum(dim=2))
    return (numerator / denominator[..., None]).to(query.dtype)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    q, k, v = _promote(query, key, value)
    q, k = map(_feature_map, (q, k))
    states = torch.einsum("bhkd,bhkm->bhkdm", k, v).cumsum(dim=2)
    normalisers = k.cumsum(dim=2)
    numerator = torch.einsum("bhqd,bhqdm->bhqm", q, states)
    denominator = torch.einsum("bhqd,bhqd->bhq", q, normalisers)
    return (numerator / denominator[..., None]).to(query.dtype)
