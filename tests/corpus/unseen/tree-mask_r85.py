from __future__ import annotations

import math
from typing import Iterator

import torch
from torch import Tensor


class DraftTree:
    """节点的父亲; 根的父亲是 None"""

    def __init__(self, back: Tensor) -> None:
        self.parents = [i - b if i - b >= 0 else None for i, b in enumerate(map(int, back.tolist()))]

    def __len__(self) -> int:
        return len(self.parents)

    def path(self, node: int | None) -> Iterator[int]:
        """从自己一直走到根"""
        while node is not None:
            yield node
            node = self.parents[node]


def tree_mask(back: Tensor) -> Tensor:
    tree = DraftTree(back)
    pairs = [(i, j) for i in range(len(tree)) for j in tree.path(i)]
    rows, columns = torch.tensor(pairs, device=back.device).T
    mask = torch.zeros(len(tree), len(tree), dtype=torch.bool, device=back.device)
    mask[rows, columns] = True
    return mask


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    # 每个 token 只取它看得见的 key: 前缀 + 自己那一支, 完全不需要 mask
    tree = DraftTree(back)
    prefix = key.shape[2] - len(tree)
    kind = torch.float64 if query.dtype == torch.float64 else torch.float32
    output = torch.empty_like(query)
    for i in range(len(tree)):
        seen = [*range(prefix), *(prefix + j for j in tree.path(i))]
        at = torch.tensor(seen, device=key.device)
        k, v = (t.index_select(2, at).to(kind) for t in (key, value))
        q = query[:, :, i : i + 1].to(kind)
        weights = torch.softmax(torch.matmul(q, k.transpose(2, 3)) / math.sqrt(q.shape[3]), dim=3)
        output[:, :, i : i + 1] = torch.matmul(weights, v)
    return output
