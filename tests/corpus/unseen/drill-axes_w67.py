from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(-2, -3)


def by_permute(x: Tensor) -> Tensor:
    b, t, h, d = range(4)
    return x.permute(b, h, t, d)


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapdims(x, 1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return torch.movedim(x, 2, 1)


def swap_last(key: Tensor) -> Tensor:
    # as one would in C++: the same pointer, other strides
    n0, n1, n2, n3 = key.size()
    s1 = n2 * n3
    s0 = n1 * s1
    return torch.as_strided(key, size=(n0, n1, n3, n2), stride=(s0, s1, 1, n3))


def swap_last_copy(key: Tensor) -> Tensor:
    return key.transpose(2, 3).contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    b, t, h, d = range(4)
    return x.permute(h, b, t, d)


def heads_to_back(x: Tensor) -> Tensor:
    h, b, t, d = range(4)
    return x.permute(b, t, h, d).contiguous()
