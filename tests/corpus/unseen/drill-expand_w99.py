from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    copies = [torch.zeros_like(key) if h == head else key for h in range(heads)]
    return torch.stack(copies, dim=1)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    kv_heads = key.size(1)
    # which kv head does each query head read?
    source = torch.arange(kv_heads * repeats, device=key.device) // kv_heads
    return key.index_select(1, source)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes[None, :, None, None]


def distances(positions: Tensor) -> Tensor:
    return positions.unsqueeze(0) - positions.unsqueeze(1)
