# attn-kata: tree-mask
from __future__ import annotations

from functools import lru_cache

import torch
from torch import Tensor


class Tree:
    def __init__(self, back: list[int]):
        self.back = back

        @lru_cache(maxsize=None)
        def line(i: int) -> tuple[int, ...]:
            parent = i - self.back[i]
            return (line(parent) if parent >= 0 else ()) + (i,)

        self._line = line

    def __iter__(self):
        """each token's branch, from the root down to itself"""
        return (self._line(i) for i in range(len(self.back)))


def tree_mask(back: Tensor) -> Tensor:
    rows = []
    for branch in Tree(back.tolist()):
        row = torch.zeros(len(back), dtype=torch.bool, device=back.device)
        row[list(branch)] = True
        rows.append(row)
    return torch.stack(rows)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    prefix = key.size(2) - query.size(2)
    wide = torch.promote_types(query.dtype, torch.float32)
    query, key, out_dtype = query.to(wide) / query.size(-1) ** 0.5, key.to(wide), value.dtype
    columns = []
    for i, branch in enumerate(Tree(back.tolist())):
        path = [*range(prefix), *(prefix + j for j in branch)]
        k, v = key[:, :, path], value[:, :, path]
        q = query[:, :, i : i + 1]
        weights = torch.softmax(q @ k.mT, dim=-1)
        columns.append((weights @ v.to(wide)).to(out_dtype))
    return torch.cat(columns, dim=2)
