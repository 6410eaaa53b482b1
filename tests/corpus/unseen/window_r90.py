from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor


def _windows(x: Tensor, window: int) -> Tensor:
    """(..., length, width) -> (..., length, width, window): the newest positions of each, oldest first.

    A view of the padded tensor: neighbours overlap, so the strides of length and window are one.
    """
    padded = F.pad(x, (0, 0, window - 1, 0))
    *lead, length, width = x.shape
    *steps, down, right = padded.stride()
    return padded.as_strided((*lead, length, width, window), (*steps, down, right, down))


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, dim = query.shape[-2:]
    window = min(window, length)
    scores = torch.einsum("bhld,bhldw->bhlw", query, _windows(key, window)) / dim**0.5
    # column w of row i is position i - (window - 1) + w; before 0 there is only padding
    position = torch.arange(length, device=query.device)[:, None] + torch.arange(1 - window, 1, device=query.device)
    weights = scores.masked_fill(position < 0, -torch.inf).softmax(dim=-1)
    return torch.einsum("bhlw,bhldw->bhld", weights, _windows(value, window))
