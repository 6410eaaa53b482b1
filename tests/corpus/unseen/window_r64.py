from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def _band(t: Tensor, width: int) -> Tensor:
    """(b, h, length, d) -> (b, h, length, width, d): slot s of row i is row i - width + 1 + s."""
    return F.pad(t, (0, 0, width - 1, 0)).unfold(2, width, 1).transpose(-1, -2)


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.shape[-2:]
    width = min(window, length)

    scores = torch.matmul(_band(key, width), query.unsqueeze(-1)).squeeze(-1)
    scores.mul_(head_dim**-0.5)

    row = torch.arange(length, device=query.device).unsqueeze(1)
    slot = torch.arange(width, device=query.device)
    before_start = row - width + 1 + slot < 0
    scores.masked_fill_(before_start, float("-inf"))

    weights = scores.softmax(dim=-1).unsqueeze(-2)
    return torch.matmul(weights, _band(value, width)).squeeze(-2)
