from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def log_decay(gate: Tensor) -> Tensor:
    wide = torch.promote_types(gate.dtype, torch.float32)
    return F.logsigmoid(gate.to(wide)) / 16.0


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    decay = log_decay(gate).exp().to(state.dtype)
    outer = torch.einsum("bhd,bhv->bhdv", key, value)
    state = state * decay[:, :, None, None] + outer
    return torch.einsum("bhd,bhdv->bhv", query, state), state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    length = query.shape[2]
    size = min(chunk_size, length)
    short = -length % size
    # A padded position keeps all, whose log is 0, and writes nothing.
    logs = F.pad(log_decay(gate), (0, short)).unflatten(-1, (-1, size))
    q, k, v = (F.pad(t, (0, 0, 0, short)).unflatten(2, (-1, size)) for t in (query, key, value))
    total = logs.cumsum(dim=-1)
    between = total.unsqueeze(-1) - total.unsqueeze(-2)
    seen = torch.ones(size, size, dtype=torch.bool, device=query.device).tril()
    decays = torch.where(seen, between, float("-inf")).exp().to(query.dtype)
    inner = torch.einsum("bhncd,bhnkd->bhnck", q, k) * decays
    output = torch.einsum("bhnck,bhnkv->bhncv", inner, v)
    remains = (total[..., -1:] - total).exp().to(query.dtype)
    written = torch.einsum("bhnkd,bhnk,bhnkv->bhndv", k, remains, v)
    over = total[..., -1].exp().to(query.dtype)
    before = []
    for n in range(written.shape[2]):
        before.append(state)
        state = state * over[:, :, n, None, None] + written[:, :, n]
    carried = torch.einsum("bhncd,bhndv->bhncv", q, torch.stack(before, dim=2))
    output = output + total.exp().to(query.dtype).unsqueeze(-1) * carried
    return output.flatten(2, 3)[:, :, :length], state
