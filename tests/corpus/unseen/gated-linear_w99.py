from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def _log_keep(gate: Tensor) -> Tensor:
    wide = gate.double() if gate.dtype == torch.float64 else gate.float()
    return F.logsigmoid(wide).div(16)


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    keep = _log_keep(gate).exp().to(state.dtype)
    state = torch.einsum("bh,bhdv->bhdv", keep, state) + torch.einsum("bhd,bhv->bhdv", key, value)
    return torch.einsum("bhd,bhdv->bhv", query, state), state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    """All chunks side by side; only the states go one after another."""
    length = query.shape[2]
    chunk_size = min(chunk_size, length)
    extra = -length % chunk_size
    query, key, value = (F.pad(t, (0, 0, 0, extra)) for t in (query, key, value))
    gate = F.pad(gate, (0, extra))

    q, k, v, g = (t.unflatten(2, (-1, chunk_size)) for t in (query, key, value, gate))
    c = _log_keep(g).cumsum(-1)
    n = chunk_size
    tri = torch.ones(n, n, dtype=torch.bool, device=q.device).tril()
    gaps = (c.unsqueeze(-1) - c.unsqueeze(-2)).masked_fill(~tri, -torch.inf)
    local = torch.einsum("bhnid,bhnjd->bhnij", q, k) * gaps.exp().to(q.dtype)
    out = local @ v

    whole = c[..., -1].exp().to(state.dtype)
    writes = torch.einsum("bhnjd,bhnj,bhnjv->bhndv", k, (c[..., -1:] - c).exp().to(k.dtype), v)
    found = []
    for w, write in zip(whole.unbind(2), writes.unbind(2)):
        found.append(state)
        state = w[..., None, None] * state + write
    read = torch.einsum("bhnid,bhndv->bhniv", q, torch.stack(found, 2))
    out = out + c.exp().to(q.dtype).unsqueeze(-1) * read
    return out.flatten(2, 3)[:, :, :length], state
