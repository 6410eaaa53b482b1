from typing import NamedTuple

import torch
from torch import Tensor


class KvShape(NamedTuple):
    batch: int
    kv_heads: int
    length: int
    head_dim: int


def share_keys(key: Tensor, heads: int) -> Tensor:
    batch, length, head_dim = key.shape
    s0, s1, s2 = key.stride()
    return key.as_strided((batch, heads, length, head_dim), (s0, 0, s1, s2), key.storage_offset())


def silence_head(key: Tensor, heads: int, head: int) -> Tensor:
    out = torch.empty(key.shape[0], heads, *key.shape[1:], dtype=key.dtype, device=key.device)
    out.copy_(key.unsqueeze(1))
    out.select(1, head).zero_()
    return out


def repeat_kv(key: Tensor, repeats: int) -> Tensor:
    s = KvShape(*key.shape)
    many = key.repeat_interleave(repeats, dim=0)
    return many.reshape(s.batch, s.kv_heads * repeats, s.length, s.head_dim)


def add_slopes(scores: Tensor, slopes: Tensor) -> Tensor:
    return slopes.unflatten(0, (1, -1, 1, 1)).add(scores)


def distances(positions: Tensor) -> Tensor:
    return -(positions[:, None] - positions[None, :])
