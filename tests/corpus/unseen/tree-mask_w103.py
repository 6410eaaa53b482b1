from __future__ import annotations

import math

import torch
import torch.nn.functional as F
from torch import Tensor


def _adjacency(back: Tensor) -> Tensor:
    """Row i has a 1 at i and at its parent."""
    n = back.numel()
    ids = torch.arange(n, device=back.device)
    parent = ids - back
    adj = torch.eye(n, device=back.device)
    has_parent = parent >= 0
    adj[ids[has_parent], parent[has_parent].long()] = 1.0
    return adj


def tree_mask(back: Tensor) -> Tensor:
    reach = _adjacency(back)
    # transitive closure: every squaring doubles the depth
    rounds = int(math.log2(back.numel()))
    for _ in range(rounds):
        reach = (reach @ reach).clamp(max=1.0)
    return reach > 0


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    prefix = key.size(2) - query.size(2)
    allowed = F.pad(tree_mask(back), (prefix, 0), value=True)
    scores = torch.einsum("bhid,bhjd->bhij", query * query.size(-1) ** -0.5, key)
    bias = torch.zeros_like(allowed, dtype=scores.dtype).masked_fill_(~allowed, float("-inf"))
    return torch.einsum("bhij,bhjd->bhid", (scores + bias).softmax(-1), value)
