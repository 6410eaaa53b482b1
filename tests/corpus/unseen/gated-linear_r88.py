from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def gated_step(query, key, value, gate, state):
    kept = torch.exp(functional.logsigmoid(gate.to(torch.float64)) * 0.0625).to(state.dtype)
    new_state = torch.addcmul(key.unsqueeze(-1) * value.unsqueeze(-2), kept[..., None, None], state)
    return (query.unsqueeze(-1) * new_state).sum(-2), new_state


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    out_dtype = query.dtype
    wide = torch.promote_types(out_dtype, torch.float32)
    q, k, v, s = (t.to(wide) for t in (query, key, value, state))
    logs = functional.logsigmoid(gate.to(torch.float64)) / 16

    def split(start: int, stop: int, s: Tensor) -> tuple[list[Tensor], Tensor]:
        """Halve the stretch at a chunk's edge until one chunk is left."""
        chunks = -(-(stop - start) // chunk_size)
        if chunks > 1:
            middle = start + (chunks // 2) * chunk_size
            left, s = split(start, middle, s)
            right, s = split(middle, stop, s)
            return left + right, s
        return leaf(q[:, :, start:stop], k[:, :, start:stop], v[:, :, start:stop], logs[:, :, start:stop], s)

    def leaf(q, k, v, a, s):
        # since[i, j]: log of what is left at i of what j wrote, summed from j + 1 to i
        c = a.cumsum(-1)
        n = c.shape[-1]
        hidden = torch.arange(n, device=c.device)[:, None] < torch.arange(n, device=c.device)
        since = (c.unsqueeze(-1) - c.unsqueeze(-2)).masked_fill(hidden, -torch.inf)
        weights = since.exp().to(q.dtype)
        start = c.exp().unsqueeze(-1).to(q.dtype)
        out = (weights * (q @ k.mT)) @ v + start * (q @ s)
        s = start[:, :, -1:] * s + (weights[:, :, -1].unsqueeze(-1) * k).mT @ v
        return [out], s

    rows, s = split(0, q.shape[2], s)
    return torch.cat(rows, 2).to(out_dtype), s.to(out_dtype)
