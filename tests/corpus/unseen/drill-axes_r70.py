from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(input=x, dim0=1, dim1=2)


def by_permute(x: Tensor) -> Tensor:
    order = list(range(x.dim()))
    order[1], order[2] = order[2], order[1]
    return x.permute(*order)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapdims(2, 1)


def by_movedim(x: Tensor) -> Tensor:
    # the length goes behind the heads
    return x.moveaxis((1,), (-2,))


def swap_last(key: Tensor) -> Tensor:
    b, h, t, d = key.shape
    sb, sh, st, sd = key.stride()
    return key.as_strided((b, h, d, t), (sb, sh, sd, st), key.storage_offset())


def swap_last_copy(key: Tensor) -> Tensor:
    columns = [key[..., i] for i in range(key.shape[-1])]       # each (batch, heads, length)
    return torch.stack(columns, dim=-2)


def heads_to_front(x: Tensor) -> Tensor:
    return torch.einsum("blhd->hbld", x)


def heads_to_back(x: Tensor) -> Tensor:
    return torch.stack(x.unbind(0), dim=-2)
