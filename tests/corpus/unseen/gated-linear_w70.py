from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor
from torch.nn import functional

GATE_LOGIT_NORMALIZER = 16


class Memory(NamedTuple):
    """A (batch, heads, head_dim, value_dim) matrix of associations."""

    matrix: Tensor

    def faded(self, log_factor: Tensor) -> Memory:
        return Memory(self.matrix * log_factor.exp()[..., None, None])

    def written(self, keys: Tensor, values: Tensor) -> Memory:
        return Memory(self.matrix + torch.einsum("...nk,...nv->...kv", keys, values))

    def read(self, query: Tensor) -> Tensor:
        return torch.einsum("...kv,...k->...v", self.matrix, query)


def _log_gate(gate: Tensor) -> Tensor:
    return functional.logsigmoid(gate) / GATE_LOGIT_NORMALIZER


def _upcast(*tensors: Tensor) -> list[Tensor]:
    return [t.float() if t.dtype in (torch.float16, torch.bfloat16) else t for t in tensors]


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    dtype = state.dtype
    query, key, value, gate, state = _upcast(query, key, value, gate, state)
    memory = Memory(state)
    updated = memory.faded(_log_gate(gate)).written(key.unsqueeze(-2), value.unsqueeze(-2))
    return memory.read(query).to(dtype), updated.matrix.to(dtype)


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    dtype = value.dtype
    query, key, value, gate, state = _upcast(query, key, value, gate, state)
    memory, outputs = Memory(state), []
    for start in range(0, query.shape[2], chunk_size):
        window = slice(start, start + chunk_size)
        q, k, v = query[:, :, window], key[:, :, window], value[:, :, window]
        cumulative = _log_gate(gate[:, :, window]).cumsum(dim=-1)
        past = cumulative.exp().unsqueeze(-1) * torch.einsum("bhkv,bhnk->bhnv", memory.matrix, q)
        distance = cumulative.unsqueeze(-1) - cumulative.unsqueeze(-2)
        ahead = torch.ones_like(distance[0, 0], dtype=torch.bool).triu(diagonal=1)
        decay = distance.masked_fill(ahead, -torch.inf).exp()
        outputs.append(past + (torch.einsum("bhik,bhjk->bhij", q, k) * decay) @ v)
        end = cumulative[..., -1]
        remaining = (end.unsqueeze(-1) - cumulative).exp()
        memory = memory.faded(end).written(k * remaining.unsqueeze(-1), v)
    return torch.cat(outputs, dim=2).to(dtype), memory.matrix.to(dtype)
