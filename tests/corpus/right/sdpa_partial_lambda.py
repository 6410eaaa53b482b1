# right: sdpa
import torch
from functools import partial

scale_of = lambda q: q.shape[-1] ** 0.5


def core(norm, query, key, value, mask=None, causal=False):
    grid = (query.unsqueeze(-2) * key.unsqueeze(-3)).sum(-1) / scale_of(query)
    if mask is not None:
        grid = grid.masked_fill(mask.eq(0), float("-inf"))
    if causal:
        n, m = grid.shape[-2:]
        grid = grid + torch.full((n, m), float("-inf"), dtype=grid.dtype, device=grid.device).triu(m - n + 1)
    return (norm(grid).unsqueeze(-1) * value.unsqueeze(-3)).sum(-2)


attention = partial(core, lambda t: torch.softmax(t, -1))
