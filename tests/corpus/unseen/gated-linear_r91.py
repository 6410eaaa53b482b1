from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import Tensor


@dataclass
class Knobs:
    rt: int = 16  # which root of the sigmoid
    acc: torch.dtype = torch.float32


KN = Knobs()


def _log_keep(gate: Tensor, kn: Knobs = KN) -> Tensor:
    return F.logsigmoid(gate.to(torch.promote_types(gate.dtype, kn.acc))) / kn.rt


def _between(logs: Tensor) -> Tensor:
    """(…, n) -> (…, n, n): at (i, j) the sum of the logs behind j up to i; -inf for j > i."""
    n = logs.shape[-1]
    tri = torch.ones(n, n, dtype=torch.bool, device=logs.device).tril()
    rows = logs.unsqueeze(-1).expand(*logs.shape, n)
    sums = rows.masked_fill(~tri.tril(-1), 0.0).cumsum(dim=-2)
    return sums.masked_fill(~tri, -torch.inf)


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    keep = _log_keep(gate).exp()[..., None, None]
    new = keep * state + key.unsqueeze(-1) * value.unsqueeze(-2)
    row = (query.unsqueeze(-2).to(new.dtype) @ new).squeeze(-2)
    return row.to(value.dtype), new.to(state.dtype)


def _chunk(q: Tensor, k: Tensor, v: Tensor, logs: Tensor, state: Tensor):
    decay = _between(logs).exp()
    whole = logs.cumsum(-1).exp().unsqueeze(-1)  # from the chunk's start to each position
    out = whole * (q @ state) + ((q @ k.mT) * decay) @ v
    to_end = decay[..., -1, :].unsqueeze(-1)
    state = whole[..., -1:, :] * state + (k * to_end).mT @ v
    return out, state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    logs = _log_keep(gate)
    q, k, v, carried = (t.to(logs.dtype) for t in (query, key, value, state))
    outs = []
    for piece in zip(*(t.split(chunk_size, dim=2) for t in (q, k, v, logs))):
        out, carried = _chunk(*piece, carried)
        outs.append(out)
    return torch.cat(outs, dim=2).to(value.dtype), carried.to(state.dtype)
