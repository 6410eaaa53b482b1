from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, 2, 1)


def by_permute(x: Tensor) -> Tensor:
    return torch.permute(x, dims=[0, -2, -3, -1])


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapaxes(axis0=-2, axis1=-3)


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim(2, 1)


def swap_last(key: Tensor) -> Tensor:
    b, h, t, d = key.shape
    sb, sh, st, sd = key.stride()
    return key.as_strided((b, h, d, t), (sb, sh, sd, st))


def swap_last_copy(key: Tensor) -> Tensor:
    b, h, t, d = key.shape
    out = key.new_empty((b, h, d, t))
    return out.copy_(swap_last(key))


def heads_to_front(x: Tensor) -> Tensor:
    return x.transpose(1, 2).transpose(0, 1)


def heads_to_back(x: Tensor) -> Tensor:
    h, b, t, d = x.shape
    out = x.new_empty((b, t, h, d))
    for i in range(h):
        out[:, :, i] = x[i]
    return out
