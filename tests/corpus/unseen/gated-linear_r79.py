from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    kept = torch.exp(-functional.softplus(-gate) * 0.0625)
    new = state * kept.reshape(*kept.shape, 1, 1)
    new = new + torch.matmul(key.unsqueeze(3), value.unsqueeze(2))
    return (new * query.unsqueeze(3)).sum(2), new


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    up = torch.promote_types(query.dtype, torch.float32)
    kind = query.dtype
    query, key, value, gate, state = (t.to(up) for t in (query, key, value, gate, state))
    a = -functional.softplus(-gate) / 16
    out = []
    t, length = 0, query.shape[2]
    while t < length:
        n = min(chunk_size, length - t)
        q, k, v = (x.narrow(2, t, n) for x in (query, key, value))
        la = a.narrow(2, t, n)
        # decay[i, j]: the gates j+1 .. i, built one row after another
        rows = []
        previous = None
        for i in range(n):
            here = la[..., i : i + 1]
            row = torch.zeros_like(here) if previous is None else torch.cat([previous + here, torch.zeros_like(here)], -1)
            rows.append(functional.pad(row, (0, n - i - 1), value=float("-inf")))
            previous = row
        decay = torch.stack(rows, -2).exp()
        from_start = la.cumsum(-1).exp().unsqueeze(-1)
        to_end = decay[..., -1, :].unsqueeze(-1)
        out.append((q @ k.transpose(2, 3) * decay) @ v + from_start * (q @ state))
        state = from_start[..., -1:, :] * state + (k * to_end).transpose(2, 3) @ v
        t += n
    return torch.cat(out, 2).to(kind), state.to(kind)
