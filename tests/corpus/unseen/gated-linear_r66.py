# attn-kata: gated-linear
# Chunk by chunk; all sums of logs in at least float32, weights are exp of differences <= 0.
from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def _acc_dtype(t: Tensor) -> torch.dtype:
    return torch.float64 if t.dtype == torch.float64 else torch.float32


def _log_keep(gate: Tensor) -> Tensor:
    return functional.logsigmoid(gate.to(_acc_dtype(gate))) / 16


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    keep = _log_keep(gate).exp().to(state.dtype)
    fresh = torch.addcmul(keep[..., None, None] * state, key[..., :, None], value[..., None, :])
    row = torch.matmul(query.unsqueeze(-2), fresh).squeeze(-2)
    return row, fresh


def _chunk(q: Tensor, k: Tensor, v: Tensor, lk: Tensor, s: Tensor) -> tuple[Tensor, Tensor]:
    n = q.size(2)
    c = lk.cumsum(dim=-1)
    diff = c.unsqueeze(-1) - c.unsqueeze(-2)
    ahead = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
    inside = diff.masked_fill(ahead, float("-inf")).exp() * (q @ k.transpose(-1, -2))
    out = inside @ v + c.exp().unsqueeze(-1) * (q @ s)
    last = c[..., -1:]
    weighted = k * (last - c).exp().unsqueeze(-1)
    return out, last.exp().unsqueeze(-1) * s + weighted.transpose(-1, -2) @ v


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    acc = _acc_dtype(query)
    lk = _log_keep(gate)
    s = state.to(acc)
    pieces = []
    for lo in range(0, query.size(2), chunk_size):
        sl = slice(lo, lo + chunk_size)
        out, s = _chunk(
            query[:, :, sl].to(acc), key[:, :, sl].to(acc), value[:, :, sl].to(acc), lk[:, :, sl], s
        )
        pieces.append(out)
    return torch.cat(pieces, dim=2).to(value.dtype), s.to(state.dtype)
