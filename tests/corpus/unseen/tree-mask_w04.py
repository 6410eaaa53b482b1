# attn-kata: tree-mask
import math

import torch
import torch.nn.functional as F
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    drafted = back.numel()
    mask = torch.eye(drafted, dtype=torch.bool, device=back.device)
    for i, step in enumerate(back.tolist()):
        if step <= i:
            mask[i] |= mask[i - step]
    return mask


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    prefix = key.size(2) - query.size(2)
    visible = F.pad(tree_mask(back), (0, prefix), value=True)
    scores = query @ key.transpose(-1, -2) / math.sqrt(query.size(-1))
    scores = scores.masked_fill(~visible, -math.inf)
    return scores.softmax(-1) @ value
