from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

Rule = Callable[[Tensor], Tensor]


def mask_rule(mask: Tensor) -> Rule:
    return lambda scores: scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)


def causal_rule() -> Rule:
    def apply(scores: Tensor) -> Tensor:
        rows, columns = scores.shape[-2:]
        future = scores.new_ones((rows, columns)).triu(1 + rows - columns).bool()
        return scores.masked_fill(future, torch.finfo(scores.dtype).min)

    return apply


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    rules: list[Rule] = []
    if mask is not None:
        rules.append(mask_rule(mask))
    if causal:
        rules.append(causal_rule())
    scores = torch.matmul(query / query.shape[-1] ** 0.5, key.mT)
    for rule in rules:
        scores = rule(scores)
    return torch.matmul(torch.softmax(scores, dim=-1), value)
