from __future__ import annotations

import math

import torch
from torch import Tensor


class DraftTree:
    def __init__(self, back: Tensor) -> None:
        self.parents = [i - int(s) for i, s in enumerate(back.tolist())]
        self.device = back.device

    def visible(self) -> Tensor:
        n = len(self.parents)
        seen = torch.zeros(n, n, dtype=torch.bool, device=self.device)
        for node, parent in enumerate(self.parents):
            seen[node, node] = True
            if parent >= 0:
                seen[node, parent] = True
        return seen


def tree_mask(back: Tensor) -> Tensor:
    return DraftTree(back).visible()


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted = query.shape[-2]
    prefix = key.shape[-2] - drafted
    mask = torch.cat(
        [torch.ones(drafted, prefix, dtype=torch.bool, device=query.device), tree_mask(back)], dim=1
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~mask, -math.inf)
    return scores.softmax(dim=-1) @ value
