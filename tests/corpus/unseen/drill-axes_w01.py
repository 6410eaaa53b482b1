# attn-kata: drill-axes
from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    # axes: 0 batch, 1 length, 2 heads, 3 head_dim
    result = x.transpose(1, 2)
    return result


def by_permute(x: Tensor) -> Tensor:
    result = x.permute(0, 2, 1, 3)
    return result


def by_swapaxes(x: Tensor) -> Tensor:
    result = x.swapaxes(1, 2)
    return result


def by_movedim(x: Tensor) -> Tensor:
    result = x.movedim(1, 2)
    return result


def swap_last(key: Tensor) -> Tensor:
    result = key.transpose(2, 3)
    return result


def swap_last_copy(key: Tensor) -> Tensor:
    result = key.transpose(2, 3)
    result = result.contiguous()
    return result


def heads_to_front(x: Tensor) -> Tensor:
    # heads are axis 2, the front is axis 0
    result = x.transpose(0, 2)
    return result


def heads_to_back(x: Tensor) -> Tensor:
    # axes: 0 heads, 1 batch, 2 length, 3 head_dim
    result = x.permute(1, 2, 0, 3)
    result = result.contiguous()
    return result
