from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def log_alpha(gate: Tensor) -> Tensor:
    return functional.logsigmoid(gate.double() if gate.dtype == torch.float64 else gate.float()) / 16


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor):
    a = log_alpha(gate).exp()
    new_state = (a[..., None, None] * state + key[..., :, None] * value[..., None, :]).to(state.dtype)
    row = (new_state * query[..., :, None]).sum(-2)
    return row, new_state


class Chunk:
    def __init__(self, q: Tensor, k: Tensor, v: Tensor, log_a: Tensor) -> None:
        self.q, self.k, self.v = q, k, v
        self.c = log_a.cumsum(-1)
        self.last = self.c[..., -1:]

    def read(self, state: Tensor) -> Tensor:
        diff = self.c[..., :, None] - self.c[..., None, :]
        n = diff.shape[-1]
        ahead = torch.ones(n, n, dtype=torch.bool, device=diff.device).triu(1)
        decay = diff.masked_fill(ahead, float("-inf")).exp()
        own = (self.q @ self.k.mT * decay) @ self.v
        return own + self.c.exp()[..., None] * (self.q @ state)

    def write(self, state: Tensor) -> Tensor:
        fading = torch.exp(self.last - self.c)[..., None]
        return state + (self.k * fading).mT @ self.v


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
):
    dtype = query.dtype
    log_a = log_alpha(gate)
    query, key, value, run = (t.to(log_a.dtype) for t in (query, key, value, state))
    outs = []
    for s in range(0, query.shape[2], chunk_size):
        e = s + chunk_size
        chunk = Chunk(query[:, :, s:e], key[:, :, s:e], value[:, :, s:e], log_a[:, :, s:e])
        outs.append(chunk.read(run))
        run = chunk.write(run)
    return torch.cat(outs, dim=2).to(dtype), run.to(dtype)
