from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

POWER = 16.0


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor):
    keep = torch.exp(functional.logsigmoid(gate) / POWER).unsqueeze(-1).unsqueeze(-1)
    new_state = keep * state + torch.matmul(key.unsqueeze(-1), value.unsqueeze(-2))
    row = torch.matmul(query.unsqueeze(-2), new_state).squeeze(-2)
    return row, new_state


def gated_linear_attention(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int):
    log_a = functional.logsigmoid(gate) / POWER
    result = []
    for q, k, v, la in zip(*(t.split(chunk_size, dim=2) for t in (query, key, value, log_a))):
        cum = la.cumsum(dim=2)
        size = cum.size(2)
        mask = torch.ones(size, size, device=q.device).triu(1).bool()
        pair = cum.unsqueeze(3) - cum.unsqueeze(2)
        pair = torch.exp(pair.masked_fill(mask, -torch.inf))
        local = torch.matmul(torch.matmul(q, k.mT) * pair, v)
        carried = torch.matmul(q * cum.exp().unsqueeze(3), state)
        result.append(local + carried)
        weight = torch.exp(cum[:, :, -1:] - cum).unsqueeze(3)
        update = torch.matmul((k * weight).mT, v)
        state = state + update
    return torch.cat(result, dim=2), state
