from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor


@dataclass(frozen=True)
class GateConfig:
    normalizer: float = 16.0


_CONFIG = GateConfig()


def log_decay(gate: Tensor, config: GateConfig = _CONFIG) -> Tensor:
    """log sigmoid(gate)^(1/normalizer), never -inf."""
    gate = gate.to(torch.promote_types(gate.dtype, torch.float32))
    return -F.softplus(-gate) / config.normalizer


def _widen(*tensors: Tensor) -> tuple[Tensor, ...]:
    return tuple(t.to(torch.promote_types(t.dtype, torch.float32)) for t in tensors)


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    q, k, v, s = _widen(query, key, value, state)
    decay = log_decay(gate).exp()[..., None, None]
    new_state = decay * s + k.unsqueeze(-1) * v.unsqueeze(-2)
    row = (q.unsqueeze(-2) @ new_state).squeeze(-2)
    return row.to(value.dtype), new_state.to(state.dtype)


def _chunk_forward(q: Tensor, k: Tensor, v: Tensor, log_a: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    size = q.shape[-2]
    cum = log_a.cumsum(-1)
    future = torch.ones(size, size, dtype=torch.bool, device=q.device).triu(1)
    between = (cum[..., :, None] - cum[..., None, :]).masked_fill(future, float("-inf"))
    inner = ((q @ k.transpose(-1, -2)) * between.exp()) @ v
    carried = (q @ state) * cum.exp()[..., None]
    to_end = (cum[..., -1:] - cum).exp()[..., None]
    state = state * cum[..., -1, None, None].exp() + (k * to_end).transpose(-1, -2) @ v
    return inner + carried, state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    q, k, v, s = _widen(query, key, value, state)
    pieces = zip(
        q.split(chunk_size, dim=-2), k.split(chunk_size, dim=-2),
        v.split(chunk_size, dim=-2), log_decay(gate).split(chunk_size, dim=-1),
    )
    rows = []
    for piece in pieces:
        out, s = _chunk_forward(*piece, s)
        rows.append(out)
    return torch.cat(rows, dim=-2).to(value.dtype), s.to(state.dtype)
