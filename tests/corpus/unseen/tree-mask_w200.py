# attn-kata: tree-mask
from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor

NO_PARENT = -1


class DraftTree:
    """父节点总在子节点前面,所以按下标顺序扫一遍,每行 = 父亲那行 + 自己。"""

    def __init__(self, back: Tensor) -> None:
        self.size = back.size(0)
        self.device = back.device
        self.parents = [i - int(b) for i, b in enumerate(back.tolist())]

    def has_parent(self, i: int) -> bool:
        return self.parents[i] != NO_PARENT

    def mask(self) -> Tensor:
        rows = torch.zeros(self.size, self.size, dtype=torch.bool, device=self.device)
        for i in range(self.size):
            if self.has_parent(i):
                rows[i] |= rows[self.parents[i]]
            rows[i, i] = True
        return rows


def tree_mask(back: Tensor) -> Tensor:
    return DraftTree(back).mask()


def _with_prefix(mask: Tensor, prefix: int) -> Tensor:
    """前缀全部可见,接在左边"""
    return F.pad(mask, (prefix, 0), value=True)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted, dk = query.size(2), query.size(3)
    visible = _with_prefix(tree_mask(back), key.size(2) - drafted)

    work = query.dtype if query.dtype == torch.float64 else torch.float32
    scores = query.to(work) @ key.to(work).transpose(2, 3) / math.sqrt(dk)
    scores = scores.masked_fill(~visible, -math.inf)
    return (scores.softmax(-1) @ value.to(work)).to(query.dtype)
