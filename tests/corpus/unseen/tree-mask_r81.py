from __future__ import annotations

import math

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    """Pointer jumping: every round doubles how far up a token looks."""
    drafted = back.numel()
    nowhere = drafted                                    # stands above every root, its own parent
    place = torch.arange(drafted + 1, device=back.device)
    parent = torch.full_like(place, nowhere)
    parent[:-1] = place[:-1] - back.long()
    parent = torch.where(parent < 0, nowhere, parent)

    sees = torch.eye(drafted + 1, dtype=torch.bool, device=back.device)
    for _ in range(drafted.bit_length()):
        sees = sees | sees[parent]
        parent = parent[parent]
    return sees[:drafted, :drafted]


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    drafted = query.size(-2)
    prefix = key.size(-2) - drafted
    scores = torch.einsum("bhid,bhjd->bhij", query.to(wide), key.to(wide)) / math.sqrt(query.size(-1))
    scores[..., prefix:].masked_fill_(~tree_mask(back), -math.inf)
    return torch.einsum("bhij,bhjd->bhid", scores.softmax(-1), value.to(wide)).to(query.dtype)
