# attn-kata: gated-linear
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def gated_step(query, key, value, gate, state):
    alpha = torch.exp(F.logsigmoid(gate) / 16.0)
    new_state = alpha[..., None, None] * state + key[..., :, None] * value[..., None, :]
    row = (query[..., None, :] @ new_state).squeeze(-2)
    return row, new_state


class _Chunk:
    def __init__(self, q: Tensor, k: Tensor, v: Tensor, log_a: Tensor) -> None:
        self.q, self.k, self.v = q, k, v
        self.c = log_a.cumsum(dim=-1)

    def read(self, state: Tensor) -> Tensor:
        n = self.c.shape[-1]
        keep = torch.ones(n, n, dtype=torch.bool, device=self.c.device).tril()
        d = self.c.unsqueeze(-1) - self.c.unsqueeze(-2)
        decay = torch.exp(d.masked_fill(~keep, float("-inf")))
        within = ((self.q @ self.k.transpose(-1, -2)) * decay) @ self.v
        return within + (self.q * self.c.exp().unsqueeze(-1)) @ state

    def write(self, state: Tensor) -> Tensor:
        total = self.c[..., -1:]
        faded = self.k * torch.exp(self.c).unsqueeze(-1)
        return torch.exp(total).unsqueeze(-1) * state + faded.transpose(-1, -2) @ self.v


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    dtype = query.dtype
    up = torch.float64 if dtype == torch.float64 else torch.float32
    log_a = F.logsigmoid(gate.to(up)) / 16.0
    q, k, v, s = query.to(up), key.to(up), value.to(up), state.to(up)
    outputs = []
    for start in range(0, query.shape[2], chunk_size):
        part = slice(start, start + chunk_size)
        chunk = _Chunk(q[:, :, part], k[:, :, part], v[:, :, part], log_a[:, :, part])
        outputs.append(chunk.read(s))
        s = chunk.write(s)
    return torch.cat(outputs, dim=2).to(dtype), s.to(dtype)
