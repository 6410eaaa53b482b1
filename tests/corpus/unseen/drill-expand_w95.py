from __future__ import annotations

import torch
from torch import Tensor


def _with_heads(x: Tensor, dim: int, n: int) -> Tensor:
    """A new axis of n at dim, stride 0."""
    sizes = list(x.shape)
    sizes.insert(dim, n)
    return x.unsqueeze(dim).expand(sizes)


def share_keys(key: Tensor, heads: int) -> Tensor:
    return _with_heads(key, 1, heads)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    own = _with_heads(key, 1, heads).clone(memory_format=torch.contiguous_format)
    own.select(1, head).zero_()
    return own


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    if repeats == 1:
        return key
    return _with_heads(key, 1, repeats).flatten(1, 2)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return torch.add(scores, slopes.reshape(1, -1, 1, 1))


def distances(positions: Tensor) -> Tensor:
    n = positions.numel()
    return _with_heads(positions, 0, n) - _with_heads(positions, 1, n)
