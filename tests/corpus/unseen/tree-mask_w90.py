from __future__ import annotations

import math

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    """Transitive closure of the parent relation, by squaring."""
    n = len(back)
    child = torch.arange(n, device=back.device)
    parent = child - back
    step = torch.eye(n, device=back.device)
    has = parent >= 0
    step[child[has], parent[has]] = 1
    for _ in range(int(math.log2(n))):
        step = (step @ step).clamp(max=1)
    return step > 0


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    T, S = query.shape[2], key.shape[2]
    logits = torch.einsum("bhtd,bhsd->bhts", query, key) * query.shape[3] ** -0.5
    tree = tree_mask(back.to(query.device))
    logits[..., S - T :] = torch.where(tree, logits[..., S - T :], -torch.inf)
    return torch.einsum("bhts,bhsd->bhtd", logits.softmax(-1), value)
