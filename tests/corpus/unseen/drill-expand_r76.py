from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    b, l, d = key.stride()
    size = (key.size(0), heads, key.size(1), key.size(2))
    return key.as_strided(size, (b, 0, l, d), key.storage_offset())


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    others = torch.arange(heads, device=key.device).ne(head).view(heads, 1, 1)
    return torch.where(others, key.unsqueeze(1), key.new_zeros(()))


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    h = torch.arange(key.shape[1] * repeats, device=key.device)
    return key[:, h // repeats]


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    ones = torch.ones(1, 1, dtype=scores.dtype, device=scores.device)
    return scores + torch.einsum("h,ij->hij", slopes, ones)


def distances(positions: Tensor) -> Tensor:
    n = positions.numel()
    grid_j, grid_i = torch.meshgrid(positions, positions, indexing="xy")
    assert grid_i.shape == (n, n)
    return grid_j - grid_i
