from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    """(B, L, H, D) -> (B, H, L, D)"""
    return x.transpose(-2, -3)


def by_permute(x: Tensor) -> Tensor:
    return x.permute(0, -2, 1, -1)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapaxes(-1, -2)


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim(-2, -3)


def swap_last(key: Tensor) -> Tensor:
    return key.swapaxes(-1, -2)


def swap_last_copy(key: Tensor) -> Tensor:
    return torch.einsum("bhld->bhdl", key).contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    return torch.einsum("blhd->hbld", x)


def heads_to_back(x: Tensor) -> Tensor:
    return torch.einsum("hbld->blhd", x).contiguous()
