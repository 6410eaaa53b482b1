# right: gated-linear
from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def _log_keep(gate: Tensor) -> Tensor:
    # -softplus(-g) is log sigmoid(g), and does not overflow.
    return -functional.softplus(-gate) / 16


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    dtype = query.dtype
    wide = torch.promote_types(dtype, torch.float32)
    query, key, value, gate, state = (t.to(wide) for t in (query, key, value, gate, state))
    new = _log_keep(gate).exp()[..., None, None] * state + torch.einsum("bhk,bhv->bhkv", key, value)
    return torch.einsum("bhk,bhkv->bhv", query, new).to(dtype), new.to(dtype)


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    dtype = query.dtype
    wide = torch.promote_types(dtype, torch.float32)
    query, key, value, gate, state = (t.to(wide) for t in (query, key, value, gate, state))
    output = query.new_zeros(value.shape)
    pieces = []
    for start in range(0, query.shape[-2], chunk_size):
        part = slice(start, start + chunk_size)
        q, k, v = query[..., part, :], key[..., part, :], value[..., part, :]
        cum = _log_keep(gate[..., part]).cumsum(-1).unsqueeze(-1)
        gap = cum - cum.mT
        # Above the diagonal the gap is positive: cut to 0, then the product is cut as well.
        weights = (q @ k.mT * gap.clamp(max=0).exp()).tril()
        pieces.append(weights @ v + cum.exp() * (q @ state))
        state = cum[..., -1:, :].exp() * state + ((cum[..., -1:, :] - cum).exp() * k).mT @ v
    output = torch.cat(pieces, dim=-2) if pieces else output
    return output.to(dtype), state.to(dtype)
