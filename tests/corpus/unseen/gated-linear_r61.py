from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional as F


def log_keep(gate: Tensor) -> Tensor:
    """log of sigmoid(gate)^(1/16), in float32 or wider"""
    return F.logsigmoid(gate.to(torch.promote_types(gate.dtype, torch.float32))) / 16


class Chunk(NamedTuple):
    query: Tensor
    key: Tensor
    value: Tensor
    log_a: Tensor

    def between(self) -> Tensor:
        """[i, j]: sum of log_a over j+1 … i, summed up for each pair anew, so that nothing cancels; -inf ahead"""
        n = self.log_a.shape[-1]
        ones = torch.ones(n, n, dtype=torch.bool, device=self.log_a.device)
        columns = self.log_a.unsqueeze(-1).expand(*self.log_a.shape, n).masked_fill(~ones.tril(-1), 0.0)
        return columns.cumsum(dim=-2).masked_fill(~ones.tril(), -torch.inf)

    def run(self, state: Tensor) -> tuple[Tensor, Tensor]:
        decay = self.between().exp()
        since_start = self.log_a.cumsum(-1).exp().unsqueeze(-1)
        inside = (self.query @ self.key.mT * decay) @ self.value
        carried = since_start * (self.query @ state)
        written = (self.key * decay[..., -1, :, None]).mT @ self.value
        return inside + carried, state * since_start[..., -1:, :] + written


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    keep = log_keep(gate).exp().to(state.dtype)
    new_state = torch.addcmul(keep[..., None, None] * state, key.unsqueeze(-1), value.unsqueeze(-2))
    return (query.unsqueeze(-2) @ new_state).squeeze(-2), new_state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    log_a = log_keep(gate)
    wide = [t.to(log_a.dtype) for t in (query, key, value)]
    running, rows = state.to(log_a.dtype), []
    pieces = (t.split(chunk_size, dim=2) for t in (*wide, log_a))
    for chunk in map(Chunk, *pieces):
        row, running = chunk.run(running)
        rows.append(row)
    return torch.cat(rows, dim=2).to(value.dtype), running.to(state.dtype)
