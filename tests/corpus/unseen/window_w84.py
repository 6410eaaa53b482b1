from __future__ import annotations

import torch
from torch import Tensor

_band_cache: dict[tuple[int, torch.device], Tensor] = {}


def band(length: int, window: int, device: torch.device) -> Tensor:
    """(length, length), True where query i may see key j: i - window < j <= i."""
    key = (length, device)
    seen = _band_cache.get(key)
    if seen is None:
        i = torch.arange(length, device=device).unsqueeze(1)
        j = torch.arange(length, device=device).unsqueeze(0)
        seen = (j <= i) & (j > i - window)
        _band_cache[key] = seen
    return seen


def window_attention(query: Tensor, key: Tensor, value: Tensor, window: int) -> Tensor:
    length, head_dim = query.shape[-2:]
    scores = query @ key.transpose(-2, -1) * head_dim**-0.5
    seen = band(length, window, query.device)
    scores = torch.where(seen, scores, torch.finfo(scores.dtype).min)
    return scores.softmax(dim=-1) @ value
