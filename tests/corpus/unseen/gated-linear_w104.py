from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def log_decay(gate: Tensor) -> Tensor:
    return functional.logsigmoid(gate.double()) / 16


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    keep = log_decay(gate).exp().to(state.dtype)
    new_state = keep[:, :, None, None] * state + torch.einsum("bhk,bhv->bhkv", key, value)
    return torch.einsum("bhk,bhkv->bhv", query, new_state), new_state


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    """一块一块地处理，块与块之间只传递 state。"""
    chunks = list(
        zip(
            query.split(chunk_size, dim=2),
            key.split(chunk_size, dim=2),
            value.split(chunk_size, dim=2),
            log_decay(gate).split(chunk_size, dim=2),
        )
    )
    outputs = []
    for index, (q, k, v, log_a) in enumerate(chunks):
        if index > 0:
            # 先把上一块写进 state
            state = write(state, *chunks[index - 1][1:])
        c = log_a.cumsum(dim=-1)
        # 块内：第 i 行看第 0..i 列
        n = c.size(-1)
        visible = torch.ones(n, n, dtype=torch.bool, device=c.device).tril()
        gap = torch.where(visible, c.unsqueeze(-1) - c.unsqueeze(-2), -torch.inf)
        local = (q @ k.mT) * gap.exp().to(q.dtype)
        # 块外：从 state 里读
        outputs.append(local @ v + c.exp().unsqueeze(-1).to(q.dtype) * (q @ state))
    return torch.cat(outputs, dim=2), state


def write(state: Tensor, k: Tensor, v: Tensor, log_a: Tensor) -> Tensor:
    c = log_a.cumsum(dim=-1)
    end = c[..., -1:]
    faded = k * (end - c).exp().unsqueeze(-1).to(k.dtype)
    return end.exp().unsqueeze(-1).to(state.dtype) * state + faded.mT @ v
