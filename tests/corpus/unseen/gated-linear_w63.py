from __future__ import annotations

from dataclasses import dataclass, replace

import torch
from torch import Tensor
from torch.nn.functional import logsigmoid


@dataclass(frozen=True)
class Memory:
    """(batch, heads, head_dim, value_dim), and what one may do with it"""

    state: Tensor

    def fade(self, keep: Tensor) -> Memory:
        return replace(self, state=self.state * keep[..., None, None])

    def write(self, key: Tensor, value: Tensor) -> Memory:
        return replace(self, state=self.state + key.mT @ value)

    def read(self, query: Tensor) -> Tensor:
        return query @ self.state


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    query, key, value = (t.unsqueeze(-2) for t in (query, key, value))
    keep = logsigmoid(gate).div(16).exp()
    memory = Memory(state).write(key, value).fade(keep)
    return memory.read(query).squeeze(-2), memory.state


def decays(logs: Tensor) -> Tensor:
    """exp of the sum of logs j+1 … i, and 0 where j is ahead of i"""
    n = logs.shape[-1]
    below = torch.ones(n, n, dtype=torch.bool, device=logs.device).tril(-1)
    steps = torch.where(below, logs.unsqueeze(-1), 0)
    return steps.cumsum(-2).masked_fill(below.mT, float("-inf")).exp()


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(query.dtype, torch.float32)
    logs = logsigmoid(gate.to(wide)) / 16
    memory, outputs = Memory(state.to(wide)), []
    parts = (t.to(wide).split(chunk_size, dim=2) for t in (query, key, value, logs))
    for q, k, v, g in zip(*parts):
        decay, total = decays(g), g.cumsum(-1).exp()
        outputs.append((q @ k.mT * decay) @ v + memory.read(q) * total[..., None])
        memory = memory.fade(total[..., -1]).write(k * decay[..., -1, :, None], v)
    return torch.cat(outputs, dim=2).to(value.dtype), memory.state.to(state.dtype)
