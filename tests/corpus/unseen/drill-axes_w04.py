# attn-kata: drill-axes
from __future__ import annotations

import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    """(B, T, H, D) -> (B, H, T, D)"""
    assert x.dim() == 4
    return x.transpose(dim0=1, dim1=2)


def by_permute(x: Tensor) -> Tensor:
    """(B, T, H, D) -> (B, H, T, D)"""
    assert x.dim() == 4
    return x.permute(dims=(0, 2, 1, 3))


def by_swapaxes(x: Tensor) -> Tensor:
    """(B, T, H, D) -> (B, H, T, D)"""
    assert x.dim() == 4
    return x.swapdims(1, 2)


def by_movedim(x: Tensor) -> Tensor:
    """(B, T, H, D) -> (B, H, T, D)"""
    assert x.dim() == 4
    return x.moveaxis(2, 1)


def swap_last(key: Tensor) -> Tensor:
    """(B, H, T, D) -> (B, H, D, T)"""
    assert key.dim() == 4
    return key.transpose(dim0=-2, dim1=-1)


def swap_last_copy(key: Tensor) -> Tensor:
    """(B, H, T, D) -> (B, H, D, T), own memory"""
    result = swap_last(key).contiguous()
    assert result.is_contiguous()
    return result


def heads_to_front(x: Tensor) -> Tensor:
    """(B, T, H, D) -> (H, B, T, D)"""
    assert x.dim() == 4
    return x.permute(dims=(2, 0, 1, 3))


def heads_to_back(x: Tensor) -> Tensor:
    """(H, B, T, D) -> (B, T, H, D), own memory"""
    assert x.dim() == 4
    result = x.permute(dims=(1, 2, 0, 3)).clone()
    assert result.data_ptr() != x.data_ptr()
    return result
