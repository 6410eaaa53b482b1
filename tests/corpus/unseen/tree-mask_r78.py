from __future__ import annotations

import math
from functools import lru_cache

import torch
from torch import Tensor


def _paths(back: Tensor) -> list[tuple[int, ...]]:
    """For each token the tokens of its branch, itself the last."""
    steps = [int(b) for b in back]

    @lru_cache(maxsize=None)
    def path(i: int) -> tuple[int, ...]:
        parent = i - steps[i]
        return (path(parent) if parent >= 0 else ()) + (i,)

    return [path(i) for i in range(len(steps))]


def tree_mask(back: Tensor) -> Tensor:
    paths = _paths(back)
    mask = torch.zeros(len(paths), len(paths), dtype=torch.bool, device=back.device)
    for i, p in enumerate(paths):
        mask[i, list(p)] = True
    return mask


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    """Each token gathers the keys of its own branch: no mask at all."""
    n = query.shape[2]
    prefix = key.shape[2] - n
    kind = torch.promote_types(query.dtype, torch.float32)
    out = []
    for i, p in enumerate(_paths(back)):
        at = list(range(prefix)) + [prefix + j for j in p]
        k, v = key[:, :, at].to(kind), value[:, :, at].to(kind)
        q = query[:, :, i].to(kind).unsqueeze(-1)
        s = torch.matmul(k, q).squeeze(-1) / math.sqrt(query.shape[3])
        e = torch.exp(s - s.max(-1, keepdim=True)[0])
        out.append((e.unsqueeze(-1) * v).sum(2) / e.sum(-1, keepdim=True))
    return torch.stack(out, 2).to(query.dtype)
