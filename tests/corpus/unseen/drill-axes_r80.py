from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, -2, -3)


def by_permute(x: Tensor) -> Tensor:
    order = list(range(x.dim()))
    order[1], order[2] = order[2], order[1]
    return torch.permute(x, order)


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapdims(x, dim0=1, dim1=2)


def by_movedim(x: Tensor) -> Tensor:
    return x.moveaxis((0, 2, 1, 3), (0, 1, 2, 3))


def swap_last(key: Tensor) -> Tensor:
    *lead, rows, columns = key.shape
    *steps, down, right = key.stride()
    return key.as_strided((*lead, columns, rows), (*steps, right, down))


def swap_last_copy(key: Tensor) -> Tensor:
    turned = swap_last(key)
    out = torch.empty(turned.shape, dtype=key.dtype, device=key.device)
    return out.copy_(turned)


def heads_to_front(x: Tensor) -> Tensor:
    # (b, l, h, d) -> (b, h, l, d) -> (h, b, l, d)
    return x.transpose(1, 2).transpose(0, 1)


def heads_to_back(x: Tensor) -> Tensor:
    return torch.stack([head for head in x], dim=2)
