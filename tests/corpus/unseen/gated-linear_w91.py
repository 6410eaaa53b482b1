from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def log_keep(gate: Tensor) -> Tensor:
    wide = torch.promote_types(gate.dtype, torch.float32)
    return torch.sigmoid(gate.to(wide)).log() / 16


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    keep = log_keep(gate).exp().to(state.dtype)
    state = keep[..., None, None] * state + key[..., :, None] * value[..., None, :]
    return torch.einsum("bhde,bhd->bhe", state, query), state


def _chunk(
    q: Tensor, k: Tensor, v: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    c = log_keep(gate).cumsum(-1)
    n = c.shape[-1]
    gap = c[..., :, None] - c[..., None, :]
    ahead = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
    fade = gap.masked_fill(ahead, float("-inf")).exp().to(q.dtype)
    out = (q @ k.mT * fade) @ v + c.exp().to(q.dtype)[..., None] * (q @ state)
    left = (c[..., -1:] - c).exp().to(q.dtype)
    state = c[..., -1].exp().to(q.dtype)[..., None, None] * state + (k * left[..., None]).mT @ v
    return out, state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    rows = []
    for a in range(0, query.shape[2], chunk_size):
        cut = slice(a, a + chunk_size)
        row, state = _chunk(query[:, :, cut], key[:, :, cut], value[:, :, cut], gate[:, :, cut], state)
        rows.append(row)
    return torch.cat(rows, dim=2), state
