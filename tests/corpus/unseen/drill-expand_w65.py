from __future__ import annotations

import torch
from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    batch, length, head_dim = key.shape
    shared: Tensor = key.unsqueeze(1).expand(batch, heads, length, head_dim)
    assert shared.data_ptr() == key.data_ptr()
    return shared


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    assert heads >= 2 and 0 <= head < heads
    batch, length, head_dim = key.shape
    own: Tensor = share_keys(key, heads).reshape(batch, heads, length, head_dim)
    own[:, head] = 0.0
    assert own.shape == (batch, heads, length, head_dim)
    return own


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    assert repeats >= 1
    out: Tensor = key.repeat_interleave(repeats, dim=1)
    assert out.shape[1] == key.shape[1] * repeats
    return out


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    assert slopes.shape == (scores.shape[1],)
    return scores + slopes.view(-1, 1, 1)


def distances(positions: Tensor) -> Tensor:
    assert positions.dtype == torch.int64
    out: Tensor = positions.unsqueeze(0) - positions.unsqueeze(1)
    assert torch.equal(out.diagonal(), torch.zeros_like(positions))
    return out
