from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F


def _log_keep(gate: Tensor) -> Tensor:
    return F.logsigmoid(gate) / 16


def gated_step(query, key, value, gate, state):
    keep = _log_keep(gate).exp()[..., None, None]
    new_state = keep * state + key[..., :, None] * value[..., None, :]
    return torch.einsum("bhd,bhde->bhe", query, new_state), new_state


def _chunks(t: Tensor, size: int) -> Tensor:
    """(batch, heads, length, …) to (batch, heads, chunks, size, …), filled up with zeros."""
    missing = -t.shape[2] % size
    filled = F.pad(t, (0, 0) * (t.dim() - 3) + (0, missing))
    return filled.unflatten(2, (-1, size))


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    length, kind = query.shape[2], query.dtype
    wide = torch.promote_types(kind, torch.float32)
    q, k, v, g = (_chunks(t.to(wide), chunk_size) for t in (query, key, value, gate))
    c = _log_keep(g).cumsum(-1)
    S = state.to(wide)

    lower = torch.ones(chunk_size, chunk_size, dtype=torch.bool, device=q.device).tril()
    rows = []
    for n in range(q.shape[2]):
        qn, kn, vn, cn = q[:, :, n], k[:, :, n], v[:, :, n], c[:, :, n]
        decay = (cn[..., :, None] - cn[..., None, :]).masked_fill(~lower, -torch.inf).exp()
        inside = (qn @ kn.mT * decay) @ vn
        before = cn.exp()[..., None] * (qn @ S)
        rows.append(inside + before)
        end = cn[..., -1:]
        S = end.exp()[..., None] * S + (kn * (end - cn).exp()[..., None]).mT @ vn
    output = torch.cat(rows, dim=2)[:, :, :length]
    return output.to(kind), S.to(kind)
