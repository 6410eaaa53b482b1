from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, dim0=-2, dim1=-3)


def by_permute(x: Tensor) -> Tensor:
    order = [0, 1, 2, 3]
    order[1], order[2] = order[2], order[1]
    return torch.permute(x, order)


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapdims(x, 2, 1)


def by_movedim(x: Tensor) -> Tensor:
    return torch.moveaxis(x, (1, 2), (2, 1))


def swap_last(key: Tensor) -> Tensor:
    return torch.einsum("bhld->bhdl", key)


def swap_last_copy(key: Tensor) -> Tensor:
    b, h, n, d = key.shape
    fresh = key.new_empty((b, h, d, n))
    return fresh.copy_(key.swapaxes(-1, -2))


def heads_to_front(x: Tensor) -> Tensor:
    return torch.movedim(x, 2, 0)


def heads_to_back(x: Tensor) -> Tensor:
    # one (batch, length, head_dim) per head, laid side by side
    return torch.stack(x.unbind(0), dim=2)
