# attn-kata: gated-linear
from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional as F

TEMPERATURE = 16


@dataclass
class Chunk:
    q: Tensor
    k: Tensor
    v: Tensor
    log_a: Tensor

    @property
    def c(self) -> Tensor:
        return self.log_a.cumsum(dim=-1)

    def read(self, state: Tensor) -> Tensor:
        carried = (self.c - self.log_a).exp()
        return carried[..., None] * (self.q @ state)

    def mix(self) -> Tensor:
        c = self.c
        n = c.shape[-1]
        causal = torch.ones(n, n, dtype=torch.bool, device=c.device).tril()
        gaps = (c[..., :, None] - c[..., None, :]).masked_fill(~causal, float("-inf"))
        return (gaps.exp() * (self.q @ self.k.mT)) @ self.v

    def advance(self, state: Tensor) -> Tensor:
        c = self.c
        last = c[..., -1:]
        return last.exp()[..., None] * state + ((last - c).exp()[..., None] * self.k).mT @ self.v


def log_keep(gate: Tensor) -> Tensor:
    return F.logsigmoid(gate.to(torch.promote_types(gate.dtype, torch.float32))) / TEMPERATURE


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor):
    a = log_keep(gate).exp().to(state.dtype)
    new_state = a[..., None, None] * state + key[..., :, None] * value[..., None, :]
    return (query[..., None, :] @ new_state)[..., 0, :], new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    acc = torch.promote_types(query.dtype, torch.float32)
    out_dtype, state_dtype = value.dtype, state.dtype
    query, key, value, state = query.to(acc), key.to(acc), value.to(acc), state.to(acc)
    log_a = log_keep(gate)
    rows = []
    for lo in range(0, query.shape[2], chunk_size):
        cut = slice(lo, lo + chunk_size)
        chunk = Chunk(query[:, :, cut], key[:, :, cut], value[:, :, cut], log_a[:, :, cut])
        rows.append(chunk.read(state) + chunk.mix())
        state = chunk.advance(state)
    return torch.cat(rows, dim=2).to(out_dtype), state.to(state_dtype)
