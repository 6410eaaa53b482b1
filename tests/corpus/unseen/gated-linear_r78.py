import torch
from torch import Tensor
from torch.nn import functional


def _keep(gate: Tensor) -> Tensor:
    # sigmoid(g)^(1/16) = exp(-softplus(-g)/16)
    return torch.exp(-functional.softplus(-gate) / 16)


def _at_least_float32(*tensors):
    return [t.float() if t.dtype in (torch.half, torch.bfloat16) else t for t in tensors]


def gated_step(query, key, value, gate, state):
    dtype = query.dtype
    query, key, value, gate, state = _at_least_float32(query, key, value, gate, state)
    state = _keep(gate).unsqueeze(-1).unsqueeze(-1) * state + torch.einsum("...i,...j->...ij", key, value)
    return torch.einsum("...ij,...i->...j", state, query).to(dtype), state.to(dtype)


def _decays(keep: Tensor) -> tuple[Tensor, Tensor]:
    """keep (..., n) -> what of key j is left at i (..., n, n), and what of the state (..., n).

    No logarithm: each row is the row before it, times this position's factor, and a new 1.
    """
    n = keep.size(-1)
    row = torch.ones_like(keep[..., :1])          # the state's own column comes first
    rows = []
    for i in range(n):
        row = torch.cat([row * keep[..., i : i + 1], torch.ones_like(keep[..., :1])], dim=-1)
        rows.append(functional.pad(row, (0, n - i - 1)))
    table = torch.stack(rows, dim=-2)
    return table[..., 1:], table[..., 0]


def gated_linear_attention(query, key, value, gate, state, chunk_size):
    dtype = query.dtype
    query, key, value, gate, state = _at_least_float32(query, key, value, gate, state)
    pieces = []
    for q, k, v, g in zip(*(t.split(chunk_size, dim=2) for t in (query, key, value, gate))):
        left, of_state = _decays(_keep(g))
        pieces.append((q @ k.mT * left) @ v + of_state.unsqueeze(-1) * (q @ state))
        last = left[..., -1, :].unsqueeze(-1)
        state = of_state[..., -1, None, None] * state + (k * last).mT @ v
    return torch.cat(pieces, dim=2).to(dtype), state.to(dtype)
