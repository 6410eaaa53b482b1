from __future__ import annotations

import functools
import math

import torch
import torch.nn.functional as F
from torch import Tensor

TEMPERATURE = 16


def widened(fn):
    """Half precision is computed in float32."""

    @functools.wraps(fn)
    def inner(*args, **kwargs):
        given = [a for a in (*args, *kwargs.values()) if isinstance(a, Tensor)]
        dtype = given[0].dtype
        wide = torch.promote_types(dtype, torch.float32)
        cast = lambda a: a.to(wide) if isinstance(a, Tensor) else a  # noqa: E731
        results = fn(*map(cast, args), **{k: cast(a) for k, a in kwargs.items()})
        return tuple(r.to(dtype) for r in results)

    return inner


def log_kept(gate: Tensor) -> Tensor:
    return F.logsigmoid(gate) / TEMPERATURE


@widened
def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    kept = log_kept(gate).exp()[..., None, None]
    new_state = kept * state + key.unsqueeze(-1) * value.unsqueeze(-2)
    return (query.unsqueeze(-2) @ new_state).squeeze(-2), new_state


def _chunk(q: Tensor, k: Tensor, v: Tensor, g: Tensor, state: Tensor) -> tuple[Tensor, Tensor]:
    c = g.cumsum(-1)  # (batch, heads, n)
    n = c.shape[-1]
    later = torch.ones(n, n, dtype=torch.bool, device=c.device).triu(1)
    # hidden before exp, where the difference is positive and might overflow
    decay = (c.unsqueeze(-1) - c.unsqueeze(-2)).masked_fill(later, -math.inf).exp()
    inside = ((q @ k.mT) * decay) @ v
    before = c.exp().unsqueeze(-1) * (q @ state)
    left = decay[..., -1, :].unsqueeze(-1)  # exp(c_n - c_j)
    return before + inside, c[..., -1, None, None].exp() * state + (k * left).mT @ v


@widened
def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    outputs = []
    pieces = (t.split(chunk_size, dim=2) for t in (query, key, value, log_kept(gate)))
    for q, k, v, g in zip(*pieces):
        output, state = _chunk(q, k, v, g, state)
        outputs.append(output)
    return torch.cat(outputs, dim=2), state
