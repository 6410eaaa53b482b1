# attn-kata: gated-linear
from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

POWER = 1 / 16


def gated_step(query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    faded = torch.sigmoid(gate).pow(POWER)[:, :, None, None] * state
    new_state = faded + torch.einsum("bhk,bhv->bhkv", key, value)
    return torch.einsum("bhkv,bhk->bhv", new_state, query), new_state


def to_chunks(x: Tensor, size: int, dim: int) -> Tensor:
    """zero-pads `dim` to a multiple of `size` and cuts it in two axes"""
    missing = -x.shape[dim] % size
    widths = [0, 0] * (x.dim() - 1 - dim) + [0, missing]
    return functional.pad(x, widths).unflatten(dim, (-1, size))


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    length = query.shape[2]
    work = torch.promote_types(query.dtype, torch.float32)
    qs = to_chunks(query.to(work), chunk_size, 2)
    ks = to_chunks(key.to(work), chunk_size, 2)
    vs = to_chunks(value.to(work), chunk_size, 2)
    logs = POWER * functional.logsigmoid(to_chunks(gate.to(work), chunk_size, 2))

    cum = logs.cumsum(dim=-1)
    total = cum[..., -1]
    own = torch.einsum("bhnj,bhnjk,bhnjv->bhnkv", torch.exp(total[..., None] - cum), ks, vs)

    carried, states = state.to(work), []
    for n in range(own.shape[2]):
        states.append(carried)
        carried = torch.exp(total[:, :, n])[:, :, None, None] * carried + own[:, :, n]

    pairs = cum[..., :, None] - cum[..., None, :]
    later = torch.ones(chunk_size, chunk_size, dtype=torch.bool, device=cum.device).triu(diagonal=1)
    decay = pairs.masked_fill(later, -torch.inf).exp()
    inner = torch.matmul(torch.matmul(qs, ks.mT) * decay, vs)
    outer = torch.exp(cum)[..., None] * torch.matmul(qs, torch.stack(states, dim=2))
    output = (inner + outer).flatten(2, 3)[:, :, :length]
    return output.to(value.dtype), carried.to(state.dtype)
