from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    kept = F.logsigmoid(gate).div(16).exp()
    new_state = state * kept.unsqueeze(-1).unsqueeze(-1) + key.unsqueeze(-1) * value.unsqueeze(-2)
    return torch.einsum("...kv,...k->...v", new_state, query), new_state


def _one_chunk(q: Tensor, k: Tensor, v: Tensor, log_kept: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    c = log_kept.cumsum(dim=-1).unsqueeze(-1)
    total = c[..., -1:, :]
    q_in = q * c.exp()
    k_in = k * (-c).exp()
    within = (q_in @ k_in.mT).tril() @ v
    output = q_in @ state + within
    state = total.exp() * state + (k * (total - c).exp()).mT @ v
    return output, state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    log_kept = F.logsigmoid(gate) / 16
    rows: list[Tensor] = []
    for start in range(0, query.shape[2], chunk_size):
        here = slice(start, start + chunk_size)
        row, state = _one_chunk(query[:, :, here], key[:, :, here], value[:, :, here], log_kept[:, :, here], state)
        rows.append(row)
    return torch.cat(rows, dim=2), state
