from __future__ import annotations

import math

import torch
from torch import Tensor


def branches(back: list[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for token, steps in enumerate(back):
        parent = token - steps
        above = found[parent] if parent >= 0 else []
        found.append([*above, token])
    return found


def tree_mask(back: Tensor) -> Tensor:
    mask = torch.zeros(len(back), len(back), dtype=torch.bool, device=back.device)
    for token, branch in enumerate(branches(back.tolist())):
        mask[token, branch] = True
    return mask


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted, total = query.shape[-2], key.shape[-2]
    hidden = torch.zeros(drafted, total, dtype=torch.bool, device=query.device)
    hidden[:, total - drafted :] = ~tree_mask(back)
    logits = torch.einsum("bhid,bhjd->bhij", query, key) / math.sqrt(query.shape[-1])
    logits = logits.masked_fill(hidden, -torch.inf)
    weights = logits.softmax(dim=-1)
    return torch.einsum("bhij,bhjd->bhid", weights, value)
