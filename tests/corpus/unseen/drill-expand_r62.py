from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    # a new axis in front, of stride 0, then to its place
    return key.expand(heads, *key.shape).movedim(0, 1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    silent = torch.arange(heads, device=key.device).eq(head).reshape(1, heads, 1, 1)
    return torch.where(silent, key.new_zeros(()), key.unsqueeze(1))


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    if repeats == 1:
        return key
    # Kronecker product with a column of ones: every head `repeats` times, neighbours
    return torch.kron(key.contiguous(), key.new_ones(1, repeats, 1, 1))


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    """Bring the heads to the end, where (heads,) matches by itself."""
    return scores.transpose(1, -1).add(slopes).transpose(1, -1)


def distances(positions: Tensor) -> Tensor:
    own, other = torch.meshgrid(positions, positions, indexing="ij")
    return other.sub(own)
