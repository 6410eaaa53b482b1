# attn-kata: gated-linear
from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def log_keep(gate: Tensor) -> Tensor:
    wide = torch.promote_types(gate.dtype, torch.float32)
    return functional.logsigmoid(gate.to(wide)) / 16


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(query.dtype, torch.float32)
    faded = state.to(wide) * log_keep(gate).exp()[..., None, None]
    fresh = torch.addcmul(faded, key.to(wide)[..., :, None], value.to(wide)[..., None, :])
    row = torch.matmul(query.to(wide)[..., None, :], fresh)[..., 0, :]
    return row.to(value.dtype), fresh.to(state.dtype)


class _Walker:
    """Goes through one sequence of chunks; everything has batch * heads in front."""

    def __init__(self, state: Tensor) -> None:
        self.state = state

    def advance(self, q: Tensor, k: Tensor, v: Tensor, log_a: Tensor) -> Tensor:
        c = torch.cumsum(log_a, dim=1)
        gap = c[:, :, None] - c[:, None, :]
        future = torch.ones_like(gap[0], dtype=torch.bool).triu(diagonal=1)
        decay = gap.masked_fill(future, -torch.inf).exp()
        out = torch.bmm(torch.bmm(q, k.mT) * decay, v)
        out = out + torch.bmm(q, self.state) * c.exp()[:, :, None]
        whole = c[:, -1:]
        kept = (whole - c).exp()[:, :, None] * k
        self.state = self.state * whole.exp()[:, :, None] + torch.bmm(kept.mT, v)
        return out


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(query.dtype, torch.float32)
    lead = query.shape[:2]
    q, k, v, start = (t.to(wide).flatten(0, 1) for t in (query, key, value, state))
    log_a = log_keep(gate).flatten(0, 1)
    walker = _Walker(start)
    outputs = [
        walker.advance(*chunk)
        for chunk in zip(*(t.split(chunk_size, dim=1) for t in (q, k, v, log_a)))
    ]
    output = torch.cat(outputs, dim=1).unflatten(0, lead)
    return output.to(value.dtype), walker.state.unflatten(0, lead).to(state.dtype)
