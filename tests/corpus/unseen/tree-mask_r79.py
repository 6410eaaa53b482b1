import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    """Paths in a graph: (I + A)^(2^k) by squaring, A[i, parent of i] = 1. After log2 steps nothing changes."""
    n = back.numel()
    me = torch.arange(n, device=back.device)
    parent = me - back.long()
    reach = torch.eye(n, device=back.device)
    has = parent >= 0
    reach[me[has], parent[has]] = 1
    steps = 1
    while steps < n:
        reach = (reach @ reach).clamp(max=1)
        steps *= 2
    return reach > 0


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted, total = query.size(2), key.size(2)
    allowed = torch.ones(drafted, total, dtype=torch.bool, device=query.device)
    allowed[:, total - drafted :] = tree_mask(back).to(query.device)
    scores = query @ key.transpose(-2, -1) / query.size(-1) ** 0.5
    scores = torch.where(allowed, scores, torch.finfo(scores.dtype).min)
    return torch.softmax(scores, dim=-1) @ value
