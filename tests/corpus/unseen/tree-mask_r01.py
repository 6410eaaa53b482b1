# attn-kata: tree-mask
import math
from typing import List

import torch
from torch import Tensor


def _parents(back: Tensor) -> List[int]:
    """-1 stands for "hangs on the prefix"."""
    return [max(i - b, -1) for i, b in enumerate(back.tolist())]


def tree_mask(back: Tensor) -> Tensor:
    parents = _parents(back)
    mask = torch.zeros(len(parents), len(parents), dtype=torch.bool)
    for node in range(len(parents)):
        cur = node
        while cur >= 0:
            mask[node, cur] = True
            cur = parents[cur]
    return mask.to(back.device)


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    drafted, head_dim = query.shape[-2:]
    prefix = key.shape[-2] - drafted

    visible = torch.ones(drafted, prefix + drafted, dtype=torch.bool, device=query.device)
    visible[:, prefix:] = tree_mask(back).to(query.device)

    low = query.dtype in (torch.half, torch.bfloat16)
    q, k, v = (t.float() if low else t for t in (query, key, value))
    logits = torch.matmul(q, k.mT) / math.sqrt(head_dim)
    logits.masked_fill_(~visible, -torch.inf)
    return torch.matmul(logits.softmax(-1), v).to(query.dtype)
