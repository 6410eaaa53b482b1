from __future__ import annotations

from functools import lru_cache
from types import SimpleNamespace

import torch
from torch import Tensor

cfg = SimpleNamespace(fill=SimpleNamespace(hidden=-torch.inf), up=torch.float32)


def _branches(back: list[int]) -> list[frozenset[int]]:
    """Of each token itself and all its ancestors."""

    @lru_cache(maxsize=None)
    def branch(i: int) -> frozenset[int]:
        parent = i - back[i]
        return frozenset((i,)) | (branch(parent) if parent >= 0 else frozenset())

    # from the front, so that the recursion is never deeper than one
    return [branch(i) for i in range(len(back))]


def tree_mask(back: Tensor) -> Tensor:
    branches = _branches(back.tolist())
    mask = torch.zeros(len(branches), len(branches), dtype=torch.bool, device=back.device)
    for i, seen in enumerate(branches):
        mask[i, sorted(seen)] = True
    return mask


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    up = torch.promote_types(query.dtype, cfg.up)
    q, k, v = query.to(up), key.to(up), value.to(up)
    drafted = q.size(2)
    s = torch.einsum("zhtc,zhsc->zhts", q, k) / q.size(3) ** 0.5
    before, own = s.tensor_split([s.size(3) - drafted], dim=3)
    own = own.masked_fill(~tree_mask(back).to(s.device), cfg.fill.hidden)
    w = torch.cat((before, own), dim=3).softmax(dim=3)
    return torch.einsum("zhts,zhsc->zhtc", w, v).to(query.dtype)
