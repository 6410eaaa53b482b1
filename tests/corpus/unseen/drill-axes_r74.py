from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    return Tensor.transpose(x, 2, 1)


def by_permute(x: Tensor) -> Tensor:
    return x.permute(dims=(0, -2, -3, -1))


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapdims(x, dim0=-3, dim1=-2)


def by_movedim(x: Tensor) -> Tensor:
    return torch.moveaxis(x, [1], [2])


def swap_last(key: Tensor) -> Tensor:
    return torch.einsum("bhld->bhdl", key)


def swap_last_copy(key: Tensor) -> Tensor:
    b, h, l, d = key.shape
    out = key.new_empty(b, h, d, l)
    for i in range(d):
        out[:, :, i] = key[..., i]
    return out


def heads_to_front(x: Tensor) -> Tensor:
    b, l, h, d = x.stride()
    return x.as_strided((x.size(2), x.size(0), x.size(1), x.size(3)), (h, b, l, d), x.storage_offset())


def heads_to_back(x: Tensor) -> Tensor:
    return torch.cat([head.unsqueeze(2) for head in x], 2)
