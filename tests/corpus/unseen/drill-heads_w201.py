"""split / merge, three ways each (b batch, t time, h head, f feature)"""
from __future__ import annotations

import torch
from torch import Tensor


def _width(x: Tensor, num_heads: int) -> int:
    f, rest = divmod(x.shape[-1], num_heads)
    assert rest == 0, "heads must divide the width"
    return f


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    f = _width(x, num_heads)
    return x.view(*x.shape[:2], num_heads, f).swapdims(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    f = _width(x, num_heads)
    per_head = torch.stack(x.split(f, dim=-1))  # h b t f
    return per_head.permute(1, 0, 2, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, _width(x, num_heads))).swapdims(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    bthf = heads.swapdims(1, 2).contiguous()
    return bthf.view(*bthf.shape[:2], -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    bthf = heads.swapdims(1, 2)
    return bthf.reshape(*bthf.shape[:2], -1)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.swapdims(1, 2).flatten(2, 3)
