from __future__ import annotations

from dataclasses import dataclass
from typing import Iterator

import torch
from torch import Tensor


@dataclass
class Chunk:
    q: Tensor
    k: Tensor
    v: Tensor
    gate: Tensor

    @property
    def log_kept(self) -> Tensor:
        # log sigmoid(g) = -log(exp(0) + exp(-g))
        return torch.logaddexp(torch.zeros_like(self.gate), -self.gate) / -16

    def run(self, state: Tensor) -> tuple[Tensor, Tensor]:
        """The differences c_i - c_j are sums of logs from j + 1 to i: made row by row, never subtracted."""
        logs = self.log_kept
        n = logs.shape[-1]
        rows = [torch.zeros_like(logs[..., :1])]
        for i in range(1, n):
            rows.append(torch.cat([rows[-1] + logs[..., i : i + 1], torch.zeros_like(logs[..., :1])], -1))
        read = []
        for i, row in enumerate(rows):
            kept = row.exp()
            from_here = torch.einsum("bhk,bhjk,bhj,bhjv->bhv", self.q[:, :, i], self.k[:, :, : i + 1], kept, self.v[:, :, : i + 1])
            since = (row[..., 0] + logs[..., 0]).exp().unsqueeze(-1)
            read.append(from_here + since * torch.einsum("bhk,bhkv->bhv", self.q[:, :, i], state))
        written = torch.einsum("bhjk,bhj,bhjv->bhkv", self.k, rows[-1].exp(), self.v)
        whole = (rows[-1][..., 0] + logs[..., 0]).exp()
        return torch.stack(read, 2), whole[..., None, None] * state + written


def _up(*tensors: Tensor) -> list[Tensor]:
    return [t.double() if t.dtype == torch.float64 else t.float() for t in tensors]


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    rows, last = gated_linear_attention(*(t.unsqueeze(2) for t in (query, key, value, gate)), state, 1)
    return rows.squeeze(2), last


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    q, k, v, g, s = _up(query, key, value, gate, state)
    pieces: Iterator[Chunk] = map(Chunk, *(t.split(chunk_size, 2) for t in (q, k, v, g)))
    outs = []
    for piece in pieces:
        out, s = piece.run(s)
        outs.append(out)
    return torch.cat(outs, 2).to(query.dtype), s.to(state.dtype)
