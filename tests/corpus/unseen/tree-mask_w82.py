# attn-kata: tree-mask
import math

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    n = len(back)
    mask = torch.zeros(n, n, dtype=torch.bool, device=back.device)
    for i, step in enumerate(back.tolist()):
        parent = i - step
        if parent > 0:
            mask[i] = mask[parent]
        mask[i, i] = True
    return mask


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted = query.shape[2]
    prefix = key.shape[2] - drafted
    allowed = torch.cat(
        [
            torch.ones(drafted, prefix, dtype=torch.bool, device=query.device),
            tree_mask(back).to(query.device),
        ],
        dim=1,
    )
    scores = query @ key.transpose(-2, -1) / math.sqrt(query.shape[-1])
    scores = scores.masked_fill(~allowed, float("-inf"))
    return scores.softmax(dim=-1) @ value
