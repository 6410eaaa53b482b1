# banded: every query gathers its own `window` keys, nothing quadratic is made
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.shape[-2:]
    reach = min(window, length)
    # (batch, heads, length, head_dim, reach): row i holds the keys i - reach + 1 ... i
    k = F.pad(key, (0, 0, reach - 1, 0)).unfold(2, reach, 1)
    v = F.pad(value, (0, 0, reach - 1, 0)).unfold(2, reach, 1)
    scores = torch.einsum("bhid,bhidw->bhiw", query, k) / head_dim**0.5
    i = torch.arange(length, device=query.device).unsqueeze(1)
    w = torch.arange(reach, device=query.device).unsqueeze(0)
    before_start = i - (reach - 1) + w < 0
    weights = scores.masked_fill(before_start, -torch.inf).softmax(-1)
    return torch.einsum("bhiw,bhidw->bhid", weights, v)
