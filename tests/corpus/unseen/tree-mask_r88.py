from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor


def branches(back: Tensor) -> list[tuple[int, ...]]:
    """For every drafted token the numbers on its branch, from the root down to itself."""
    steps: list[int] = [int(x) for x in back.tolist()]

    @lru_cache(maxsize=None)
    def branch(i: int) -> tuple[int, ...]:
        if (parent := i - steps[i]) < 0:
            return (i,)
        return branch(parent) + (i,)

    # parents come first, so the recursion is never more than one deep
    return [branch(i) for i in range(len(steps))]


def tree_mask(back: Tensor) -> Tensor:
    n = back.shape[0]
    mask = torch.zeros((n, n), dtype=torch.bool, device=back.device)
    for i, seen in enumerate(branches(back)):
        mask[i, list(seen)] = True
    return mask


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    """Token by token: pick what lies on the branch, attend to that alone."""
    drafted, head_dim = query.shape[-2:]
    prefix = key.shape[-2] - drafted
    work = torch.float64 if query.dtype is torch.float64 else torch.float32
    rows: list[Tensor] = []
    for i, seen in enumerate(branches(back)):
        visible = [*range(prefix), *(prefix + j for j in seen)]
        k, v = key[:, :, visible].to(work), value[:, :, visible].to(work)
        q = query[:, :, i : i + 1].to(work)
        weights = torch.softmax(q.matmul(k.mT).div(math.sqrt(head_dim)), dim=-1)
        rows.append(weights.matmul(v))
    return torch.cat(rows, dim=2).to(query.dtype)
