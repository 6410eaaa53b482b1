from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def log_kept(gate: Tensor) -> Tensor:
    return F.logsigmoid(gate) / 16


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    state = log_kept(gate).exp()[..., None, None] * state + torch.einsum("bhd,bhe->bhde", key, value)
    return torch.einsum("bhd,bhde->bhe", query, state), state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    rows = []
    pieces = (t.split(chunk_size, dim=2) for t in (query, key, value, log_kept(gate)))
    for q, k, v, g in zip(*pieces):
        n = g.shape[2]
        ahead = torch.ones(n, n, dtype=torch.bool, device=g.device).triu(1)
        # the decay from j to i is a sum of the logs from j + 1 to i, added up directly: no difference of large sums
        below = torch.ones(n, n, dtype=torch.bool, device=g.device).tril(-1)
        decay = torch.where(below, g.unsqueeze(-1), 0.0).cumsum(dim=2).masked_fill(ahead, float("-inf"))
        since = g.cumsum(dim=2).exp().unsqueeze(-1)
        rows.append(since * (q @ state) + (q @ k.mT * decay.exp()) @ v)
        state = since[:, :, -1:] * state + (k * decay[:, :, -1].exp().unsqueeze(-1)).mT @ v
    return torch.cat(rows, dim=2), state
