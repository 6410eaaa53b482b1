import math

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    """Ancestors by doubling: after k rounds all up to 2^k steps away are known."""
    n = back.numel()
    index = torch.arange(n, device=back.device)
    parent = index - back
    reach = torch.eye(n, dtype=torch.bool, device=back.device)
    has_parent = parent >= 0
    reach[index[has_parent], parent[has_parent]] = True
    for _ in range(int(math.log2(max(n, 1)))):
        reach = (reach.float() @ reach.float()) > 0
    return reach


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted, head_dim = query.shape[-2:]
    prefix = key.size(2) - drafted
    everything = torch.ones(drafted, prefix, dtype=torch.bool, device=query.device)
    seen = torch.cat([everything, tree_mask(back)], dim=1)
    scores = query @ key.transpose(-2, -1) / math.sqrt(head_dim)
    scores = scores.masked_fill(~seen, -math.inf)
    return scores.softmax(dim=-1) @ value
