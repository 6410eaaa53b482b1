from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor


class Tree:
    def __init__(self, back: Tensor):
        self.back = back.tolist()

    def __len__(self) -> int:
        return len(self.back)

    def ancestors(self, token: int) -> Iterator[int]:
        token -= self.back[token]
        while token > 0:
            yield token
            token -= self.back[token]

    def mask(self) -> Tensor:
        rows = torch.zeros(len(self), len(self), dtype=torch.bool)
        for token in range(len(self)):
            rows[token, token] = True
            for other in self.ancestors(token):
                rows[token, other] = True
        return rows


def tree_mask(back: Tensor) -> Tensor:
    return Tree(back).mask().to(back.device)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    mask = tree_mask(back).to(query.device)
    drafted = mask.shape[0]
    prefix_key, draft_key = key[..., :-drafted, :], key[..., -drafted:, :]
    to_prefix = torch.matmul(query, prefix_key.mT)
    to_draft = torch.matmul(query, draft_key.mT).masked_fill(mask.logical_not(), float("-inf"))
    scores = torch.cat((to_prefix, to_draft), dim=-1).div(query.shape[-1] ** 0.5)
    return torch.matmul(scores.softmax(dim=-1), value)
