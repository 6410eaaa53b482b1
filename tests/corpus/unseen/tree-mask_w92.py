from __future__ import annotations

import math

import torch
from torch import Tensor


def _parent_links(back: Tensor) -> Tensor:
    n = back.shape[0]
    place = torch.arange(n, device=back.device)
    return (place - back)[:, None] == place[None, :]


def _rounds(n: int) -> int:
    return int(math.log2(n))


def tree_mask(back: Tensor) -> Tensor:
    """Squares the relation 'itself or parent': each round doubles how far up it reaches."""
    n = back.shape[0]
    reach = _parent_links(back) | torch.eye(n, dtype=torch.bool, device=back.device)
    for _ in range(_rounds(n)):
        wide = reach.float()
        reach = wide @ wide > 0
    return reach


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted, total = query.shape[2], key.shape[2]
    seen = torch.ones(drafted, total, dtype=torch.bool, device=query.device)
    seen[:, total - drafted :] = tree_mask(back)
    scores = query @ key.mT / math.sqrt(query.shape[-1])
    return scores.masked_fill(~seen, -math.inf).softmax(dim=-1) @ value
