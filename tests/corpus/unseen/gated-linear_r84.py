from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def _log_decay(gate: Tensor) -> Tensor:
    return F.logsigmoid(gate.to(torch.promote_types(gate.dtype, torch.float32))) / 16


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    keep = _log_decay(gate).exp()[..., None, None]
    new = torch.addcmul(key.unsqueeze(-1) * value.unsqueeze(-2), keep, state.to(keep.dtype))
    row = torch.einsum("bhdv,bhd->bhv", new, query.to(new.dtype))
    return row.to(value.dtype), new.to(state.dtype)


def _spans(log_a: Tensor) -> Tensor:
    """(…, n) to (…, n, n): the sum of log_a over j + 1 … i, -inf ahead of the diagonal."""
    n = log_a.shape[-1]
    past = torch.ones(n, n, dtype=torch.bool, device=log_a.device).tril(-1)
    steps = log_a.unsqueeze(-1).expand(*log_a.shape, n).masked_fill(~past, 0)
    ahead = torch.ones_like(past).triu(1)
    return steps.cumsum(-2).masked_fill(ahead, -torch.inf)


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    log_a = _log_decay(gate)
    wide = log_a.dtype
    s = state.to(wide)
    outs = []
    parts = (t.to(wide).split(chunk_size, 2) for t in (query, key, value, log_a))
    for q, k, v, la in zip(*parts):
        between = _spans(la).exp()
        since_start = la.cumsum(-1).exp().unsqueeze(-1)
        outs.append(since_start * (q @ s) + (q @ k.mT * between) @ v)
        to_end = between[..., -1, :].unsqueeze(-1)
        s = since_start[..., -1:, :] * s + (k * to_end).mT @ v
    return torch.cat(outs, 2).to(value.dtype), s.to(state.dtype)
