# attn-kata: tree-mask
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterator

import torch
from torch import Tensor


@dataclass
class DraftTree:
    back: list[int]

    def parent(self, i: int) -> int:
        return i - self.back[i]

    def ancestors(self, i: int) -> Iterator[int]:
        p = self.parent(i)
        while p > 0:
            yield p
            p = self.parent(p)

    def mask(self, device=None) -> Tensor:
        n = len(self.back)
        m = torch.zeros(n, n, dtype=torch.bool, device=device)
        for i in range(n):
            m[i, i] = True
            for j in self.ancestors(i):
                m[i, j] = True
        return m


def tree_mask(back: Tensor) -> Tensor:
    return DraftTree([int(b) for b in back]).mask(back.device)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    scores = query.to(wide) @ key.to(wide).transpose(-1, -2)
    scores = scores / math.sqrt(query.size(-1))
    # only the last `drafted` columns are restricted
    tail = scores[..., -query.size(-2):]
    tail.masked_fill_(~tree_mask(back), -math.inf)
    return (torch.softmax(scores, -1) @ value.to(wide)).to(value.dtype)
