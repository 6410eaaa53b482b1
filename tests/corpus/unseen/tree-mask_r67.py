from __future__ import annotations

import math

import torch
from torch import Tensor


def tree_mask(back: Tensor) -> Tensor:
    """Powers of the parent matrix: it is nilpotent, so squaring log2(n) times reaches every ancestor."""
    n = len(back)
    i = torch.arange(n, device=back.device)
    step = (i.unsqueeze(1) - back.to(i.dtype).unsqueeze(1)).eq(i)  # a parent below 0 equals no column
    reach = (step | torch.eye(n, dtype=torch.bool, device=back.device)).float()
    for _ in range(max(1, math.ceil(math.log2(max(n, 2))))):
        reach = (reach @ reach).clamp(max=1)
    return reach > 0


def tree_attention(query: Tensor, key: Tensor, value: Tensor, back: Tensor) -> Tensor:
    n = query.shape[2]
    prefix = key.shape[2] - n
    s = torch.einsum("bhid,bhjd->bhij", query, key) * query.shape[-1] ** -0.5
    s[..., prefix:] = s[..., prefix:].masked_fill(~tree_mask(back).to(s.device), -math.inf)
    return torch.einsum("bhij,bhjd->bhid", s.softmax(-1), value)
