from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def _log_keep(gate: Tensor) -> Tensor:
    return functional.logsigmoid(gate) / 16


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    keep = _log_keep(gate).exp().unsqueeze(-1).unsqueeze(-1)
    new_state = keep * state + torch.einsum("bhd,bhv->bhdv", key, value)
    return (query.unsqueeze(-2) @ new_state).squeeze(-2), new_state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    wide = torch.promote_types(query.dtype, torch.float32)
    length = query.shape[2]
    chunk_size = min(chunk_size, length)
    missing = -length % chunk_size

    def cut(t: Tensor) -> Tensor:
        t = functional.pad(t.to(wide), (0, 0, 0, missing))
        return t.unflatten(2, (-1, chunk_size))

    q, k, v = cut(query), cut(key), cut(value)
    logs = _log_keep(cut(gate.unsqueeze(-1)).squeeze(-1))
    c = logs.cumsum(-1)
    visible = torch.ones(chunk_size, chunk_size, dtype=torch.bool, device=q.device).tril()
    state = state.to(wide)
    rows = []
    for i in range(q.shape[2]):
        qi, ki, vi, ci = q[:, :, i], k[:, :, i], v[:, :, i], c[:, :, i]
        gap = (ci.unsqueeze(-1) - ci.unsqueeze(-2)).masked_fill(~visible, -torch.inf)
        pairs = gap.exp() * torch.einsum("bhid,bhjd->bhij", qi, ki)
        carried = torch.einsum("bhid,bhdv->bhiv", qi * ci.exp().unsqueeze(-1), state)
        rows.append(pairs @ vi + carried)
        end = ci[..., -1:]
        kept = ki * (end - ci).exp().unsqueeze(-1)
        state = end.exp().unsqueeze(-1) * state + torch.einsum("bhjd,bhjv->bhdv", kept, vi)
    return torch.cat(rows, dim=2)[:, :, :length], state
