# attn-kata: drill-axes
from __future__ import annotations

import torch
from torch import Tensor

# 约定: B = batch, T = length, H = heads, D = head_dim


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, dim0=1, dim1=2)


def by_permute(x: Tensor) -> Tensor:
    return torch.permute(x, (0, 2, 1, 3))


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapaxes(x, 1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return torch.movedim(x, source=1, destination=2)


def swap_last(key: Tensor) -> Tensor:
    return torch.einsum("...td->...dt", key)


def swap_last_copy(key: Tensor) -> Tensor:
    return swap_last(key).clone(memory_format=torch.contiguous_format)


def heads_to_front(x: Tensor) -> Tensor:
    # BTHD -> HBTD
    return x.movedim(2, 0)


def heads_to_back(x: Tensor) -> Tensor:
    # HBTD -> BTHD
    n_head, bsz, tlen, dk = x.shape
    rows = x.transpose(0, 2).contiguous()
    return rows.view(bsz, tlen, n_head, dk)
