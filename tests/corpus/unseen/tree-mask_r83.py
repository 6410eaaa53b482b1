from __future__ import annotations

import math

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    """The closure of "is or is the parent of", by squaring: paths of 1, 2, 4, … steps."""
    n = back.shape[0]
    own = torch.arange(n, device=back.device)
    parent = own - back
    sees = (own == own[:, None]) | (own == parent[:, None])
    for _ in range(max(n - 1, 1).bit_length()):
        sees = (sees.float() @ sees.float()) > 0
    return sees


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = (t.to(wide) for t in (query, key, value))
    prefix = key.shape[2] - query.shape[2]
    logits = torch.einsum("bhid,bhjd->bhij", q, k) / math.sqrt(q.shape[-1])
    drafted = logits[..., prefix:].masked_fill(~tree_mask(back), -math.inf)
    weights = torch.cat((logits[..., :prefix], drafted), dim=-1).softmax(-1)
    return torch.einsum("bhij,bhjd->bhid", weights, v).to(query.dtype)
