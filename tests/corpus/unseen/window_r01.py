# attn-kata: window
from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, dim = query.shape[-2:]
    w = min(window, length)
    keys = F.pad(key, (0, 0, w - 1, 0)).unfold(2, w, 1)          # (b, h, length, dim, w)
    values = F.pad(value, (0, 0, w - 1, 0)).unfold(2, w, 1)
    scores = torch.einsum("bhtd,bhtdw->bhtw", query * dim ** -0.5, keys)
    source = torch.arange(length, device=query.device)[:, None] + torch.arange(1 - w, 1, device=query.device)
    scores = scores.masked_fill(source < 0, float("-inf"))
    return torch.einsum("bhtw,bhtdw->bhtd", torch.softmax(scores, dim=-1), values)
