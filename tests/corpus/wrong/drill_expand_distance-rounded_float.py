# wrong: drill-expand distance-rounded line 30
# fair: distance-rounded 30, 32
from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return torch.unsqueeze(key, dim=1).expand(key.shape[0], heads, *key.shape[1:])


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    per_head = share_keys(key, heads)
    index = torch.tensor([head], device=key.device)
    return per_head.index_fill(1, index, 0.0)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    batch, kv_heads, length, head_dim = key.shape
    grouped = key[:, :, None, :, :].expand(batch, kv_heads, repeats, length, head_dim)
    return grouped.reshape(batch, kv_heads * repeats, length, head_dim)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return slopes.reshape(-1, 1, 1).add(scores)


def distances(positions: Tensor) -> Tensor:
    p = positions.float()
    minus, plus = p.reshape(-1, 1), p.reshape(1, -1)
    return (plus - minus).long()
