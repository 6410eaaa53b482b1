from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor):
    keep = torch.exp(functional.logsigmoid(gate) / 16)
    state = keep[..., None, None] * state + key[..., :, None] * value[..., None, :]
    return torch.einsum("bhd,bhdv->bhv", query, state), state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
):
    log_keep = functional.logsigmoid(gate) / 16
    rows = []
    for start in range(0, query.shape[2], chunk_size):
        part = slice(start, start + chunk_size)
        q, k, v, a = query[:, :, part], key[:, :, part], value[:, :, part], log_keep[:, :, part]
        c = a.cumsum(-1)
        n = c.shape[-1]
        inherited = torch.exp(c - a)[..., None] * (q @ state)
        gap = c[..., :, None] - c[..., None, :]
        ahead = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
        inside = (q @ k.mT) * gap.masked_fill(ahead, float("-inf")).exp()
        rows.append(inherited + inside @ v)
        end = c[..., -1:]
        state = end.exp()[..., None] * state + (k * torch.exp(end - c)[..., None]).mT @ v
    return torch.cat(rows, dim=2), state
