from __future__ import annotations

import math

import torch
from torch import Tensor

BLOCK = 64


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.shape[-2:]
    outputs = []
    for start in range(0, length, BLOCK):
        stop = min(start + BLOCK, length)
        first_key = max(0, start - window + 1)
        q = query[:, :, start:stop]
        k = key[:, :, first_key:stop]
        v = value[:, :, first_key:stop]
        i = torch.arange(start, stop, device=q.device).unsqueeze(1) - start
        j = torch.arange(stop - first_key, device=q.device).unsqueeze(0)
        visible = (j <= i) & (j > i - window)
        scores = q @ k.transpose(-1, -2) / math.sqrt(head_dim)
        scores = scores.masked_fill(~visible, -math.inf)
        outputs.append(scores.softmax(-1) @ v)
    return torch.cat(outputs, dim=2)
