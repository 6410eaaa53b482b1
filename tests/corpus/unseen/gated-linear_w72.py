# attn-kata: gated-linear
from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


def _wide(t: Tensor) -> Tensor:
    return t if t.dtype == torch.float64 else t.float()


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    keep = (F.logsigmoid(_wide(gate)) / 16).exp()[..., None, None].to(state.dtype)
    new_state = state * keep + key.unsqueeze(-1) * value.unsqueeze(-2)
    return (new_state * query.unsqueeze(-1)).sum(dim=-2), new_state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    length = query.shape[2]
    size = min(chunk_size, length)
    rest = -length % size
    # fill up the last chunk, so that every slice below has the same shape
    q = F.pad(_wide(query), (0, 0, 0, rest))
    k = F.pad(_wide(key), (0, 0, 0, rest))
    v = F.pad(_wide(value), (0, 0, 0, rest))
    log_keep = F.logsigmoid(F.pad(_wide(gate), (0, rest))) / 16

    s = _wide(state)
    later = torch.ones(size, size, dtype=torch.bool, device=q.device).triu(1)
    rows = []
    for i in range(0, length + rest, size):
        qc, kc, vc = q[:, :, i : i + size], k[:, :, i : i + size], v[:, :, i : i + size]
        c = log_keep[:, :, i : i + size].cumsum(dim=2)
        between = (c[..., :, None] - c[..., None, :]).masked_fill(later, float("-inf")).exp()
        rows.append((qc @ kc.mT * between) @ vc + c.exp()[..., None] * (qc @ s))
        total = c[:, :, -1:]
        s = total.exp()[..., None] * s + (kc * (total - c).exp()[..., None]).mT @ vc
    out = torch.cat(rows, dim=2)[:, :, :length]
    return out.to(value.dtype), s.to(state.dtype)
