from __future__ import annotations

import math

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    steps: list[int] = back.tolist()
    mask = torch.zeros(len(steps), len(steps), dtype=torch.bool)

    for token, step in enumerate(steps):

        def climb(node: int) -> list[int]:
            """node 以及它的所有祖先"""
            if node < 0:
                return []
            return [node] + climb(node - step)

        mask[token, climb(token)] = True
    return mask.to(back.device)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted = query.size(2)
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.size(-1))
    # 前缀全部可见，只遮住草稿部分
    prefix, draft = scores.tensor_split([key.size(2) - drafted], dim=-1)
    draft = draft.masked_fill(~tree_mask(back).to(query.device), -math.inf)
    weights = torch.cat((prefix, draft), dim=-1).softmax(dim=-1)
    return weights @ value
