from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    batch, length, head_dim = key.shape
    return key.unsqueeze(1).expand(batch, heads, length, head_dim)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    copies: list[Tensor] = [
        torch.zeros_like(key) if number == head else key for number in range(heads)
    ]
    return torch.stack(copies, dim=1)


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    if repeats == 1:
        return key
    batch, kv_heads, length, head_dim = key.shape
    key = key[:, :, None].expand(batch, kv_heads, repeats, length, head_dim)
    return key.reshape(batch, kv_heads * repeats, length, head_dim)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes.view(1, -1, 1, 1)


def distances(positions: Tensor) -> Tensor:
    query_places, key_places = positions[:, None], positions[None, :]
    return key_places - query_places
