from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def log_kept(gate: Tensor) -> Tensor:
    return functional.logsigmoid(gate).div(16)


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor):
    faded = state * log_kept(gate).exp()[:, :, None, None]
    written = faded + torch.einsum("bhk,bhv->bhkv", key, value)
    return torch.einsum("bhkv,bhk->bhv", written, query), written


def _chunk(query, key, value, log_a, state):
    run = torch.cumsum(log_a, dim=2)
    between = run.unsqueeze(3) - run.unsqueeze(2)
    decay = torch.exp(between).tril()
    scores = torch.einsum("bhik,bhjk->bhij", query, key)
    local = torch.einsum("bhij,bhjv->bhiv", scores * decay, value)
    carried = torch.einsum("bhik,bhkv->bhiv", query * run.exp().unsqueeze(3), state)
    last = run[:, :, -1:]
    gathered = torch.einsum("bhj,bhjk,bhjv->bhkv", torch.exp(last - run), key, value)
    return local + carried, state * last.exp().unsqueeze(3) + gathered


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
):
    outputs = []
    pieces = [t.split(chunk_size, dim=2) for t in (query, key, value, log_kept(gate))]
    for q, k, v, a in zip(*pieces):
        out, state = _chunk(q, k, v, a, state)
        outputs.append(out)
    return torch.cat(outputs, dim=2), state
