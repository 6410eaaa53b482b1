from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def log_keep(gate: Tensor) -> Tensor:
    wide = torch.promote_types(gate.dtype, torch.float32)
    return F.logsigmoid(gate.to(wide)) / 16


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor):
    a = log_keep(gate).exp().to(state.dtype)
    new = torch.einsum("bh,bhkv->bhkv", a, state) + torch.einsum("bhk,bhv->bhkv", key, value)
    return torch.einsum("bhk,bhkv->bhv", query, new), new


def gated_linear_attention(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int):
    length = query.shape[2]
    out = []
    for a in range(0, length, chunk_size):
        q, k, v = (t[:, :, a : a + chunk_size] for t in (query, key, value))
        g = log_keep(gate[:, :, a : a + chunk_size])
        c = g.cumsum(-1)
        n = c.shape[-1]
        # sums of the gates between, made segment by segment so that no difference of huge sums occurs
        between = g.unsqueeze(-1).expand(-1, -1, n, n).tril(-1).cumsum(-2)
        seen = torch.ones(n, n, dtype=torch.bool, device=q.device).tril()
        decay = between.masked_fill(~seen, float("-inf")).exp().to(q.dtype)
        inside = (q @ k.mT * decay) @ v
        before = (q * c.exp().to(q.dtype).unsqueeze(-1)) @ state
        out.append(inside + before)
        last = decay[..., -1, :].unsqueeze(-1)
        state = c[..., -1:, None].exp().to(q.dtype) * state + (k * last).mT @ v
    return torch.cat(out, 2), state
