from __future__ import annotations

from torch import Tensor


def share_keys(key: Tensor, heads: int) -> Tensor:
    return key.unsqueeze(1).expand(-1, heads, -1, -1)


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    own = share_keys(key, heads).contiguous()
    own[:, head:].zero_()
    return own


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    groups = key.unsqueeze(2).repeat(1, 1, repeats, 1, 1)
    return groups.flatten(1, 2)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return scores + slopes.unsqueeze(-1).unsqueeze(-1)


def distances(positions: Tensor) -> Tensor:
    return positions - positions.reshape(-1, 1)
