# attn-kata: drill-expand
from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    B, T, D = key.shape
    return key.view(B, 1, T, D).expand(B, heads, T, D)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    B, T, D = key.shape
    buffer = share_keys(key, heads).reshape(B, heads, T, D)
    buffer.select(1, head).zero_()
    return buffer


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    B, K, T, D = key.shape
    out = torch.empty(B, K, repeats, T, D, dtype=key.dtype, device=key.device)
    out.copy_(key.view(B, K, 1, T, D).expand_as(out))
    return out.view(B, K * repeats, T, D)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return torch.add(scores, slopes.view(-1, 1, 1))


def distances(positions: Tensor) -> Tensor:
    return torch.sub(positions.view(1, -1), positions.view(-1, 1))
