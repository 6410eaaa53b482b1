# attn-kata: gated-linear
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor):
    wide = torch.promote_types(gate.dtype, torch.float32)
    keep = torch.exp(F.logsigmoid(gate.to(wide)) / 16).to(state.dtype)
    new_state = torch.addcmul(key.unsqueeze(-1) * value.unsqueeze(-2), keep[..., None, None], state)
    row = torch.matmul(query.unsqueeze(-2), new_state).squeeze(-2)
    return row, new_state


def _segments(log_keep: Tensor) -> Tensor:
    """[..., n] -> [..., n, n]: the sum of log_keep over (j, i], -inf above the diagonal.

    Summed column by column instead of taken as a difference of two large prefix sums.
    """
    n = log_keep.shape[-1]
    rows = log_keep.unsqueeze(-1).expand(*log_keep.shape, n)
    below = torch.ones(n, n, dtype=torch.bool, device=log_keep.device).tril(-1)
    total = rows.masked_fill(~below, 0).cumsum(dim=-2)
    upper = torch.ones_like(below).triu(1)
    return total.masked_fill(upper, float("-inf"))


def _one_chunk(q, k, v, log_keep, state):
    decay = _segments(log_keep)
    inside = (q @ k.mT) * decay.exp()
    since_start = log_keep.cumsum(-1).exp().unsqueeze(-1)
    out = inside @ v + since_start * (q @ state)
    to_end = decay[..., -1, :].exp().unsqueeze(-1)
    return out, since_start[..., -1:, :] * state + (to_end * k).mT @ v


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v, s = (t.to(wide) for t in (query, key, value, state))
    log_keep = F.logsigmoid(gate.to(wide)) / 16
    pieces = [t.split(chunk_size, dim=2) for t in (q, k, v, log_keep)]
    rows = []
    for piece in zip(*pieces):
        out, s = _one_chunk(*piece, s)
        rows.append(out)
    return torch.cat(rows, dim=2).to(value.dtype), s.to(state.dtype)
