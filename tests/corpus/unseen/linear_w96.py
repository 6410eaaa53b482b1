from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor

CHUNK = 64


def _phi(x: Tensor) -> Tensor:
    x = x.to(torch.promote_types(x.dtype, torch.float32))
    return F.elu(x).add(1.0)


def _pad_to_chunks(x: Tensor, chunk: int) -> Tensor:
    """Zeros behind the last position, up to a multiple of the chunk."""
    missing = -x.shape[-2] % chunk
    return F.pad(x, (0, 0, 0, missing))


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    chunk = min(CHUNK, key.shape[-2])
    phi_k = _phi(_pad_to_chunks(key, chunk))
    values = _pad_to_chunks(value, chunk).to(phi_k.dtype)
    phi_q = _phi(query)

    state: Tensor | float = 0.0
    normaliser: Tensor | float = 0.0
    for k_part, v_part in zip(phi_k.split(chunk, dim=-2), values.split(chunk, dim=-2)):
        state = state + k_part.mT @ v_part
        normaliser = normaliser + k_part.sum(dim=-2)
    denominator = torch.einsum("bhqd,bhd->bhq", phi_q, normaliser)
    return (phi_q @ state / denominator.unsqueeze(-1)).to(query.dtype)


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    phi_q, phi_k = _phi(query), _phi(key)
    states = torch.einsum("bhld,bhle->bhlde", phi_k, value.to(phi_k.dtype)).cumsum(dim=2)
    totals = phi_k.cumsum(dim=2)
    above = torch.einsum("bhld,bhlde->bhle", phi_q, states)
    below = torch.einsum("bhld,bhld->bhl", phi_q, totals)
    return (above / below[..., None]).to(query.dtype)
