# attn-kata: drill-expand
from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    batch, length, head_dim = key.shape
    return torch.broadcast_to(key.unsqueeze(1), (batch, heads, length, head_dim))


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    sounding = torch.arange(heads, device=key.device) != head
    # where makes a new tensor, and takes a shared key as well as a copied one
    return torch.where(sounding.view(1, heads, 1, 1), share_keys(key, heads), key.new_zeros(()))


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    if repeats == 1:
        return key
    batch, kv_heads, length, head_dim = key.shape
    grouped = key.unsqueeze(2).expand(batch, kv_heads, repeats, length, head_dim)
    return grouped.reshape(batch, kv_heads * repeats, length, head_dim)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    heads = slopes.numel()
    return torch.add(scores, slopes.view(1, heads, 1, 1))


def distances(positions: Tensor) -> Tensor:
    query_positions = positions.unsqueeze(-1)
    key_positions = positions.unsqueeze(-2)
    return torch.subtract(key_positions, query_positions)
