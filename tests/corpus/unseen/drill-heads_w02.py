# attn-kata: drill-heads
from __future__ import annotations

import torch
from torch import Tensor


# 多头的拆分与合并
def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    b, n, d = x.size()
    x = x.view(b, n, num_heads, d // num_heads)   # (b, n, h, d_k)
    return x.transpose(1, 2)                      # (b, h, n, d_k)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    b, n, d = x.size()
    return x.view(b, n, num_heads, d // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, x.size(-1) // num_heads)).permute(0, 2, 1, 3)


def merge_by_view(heads: Tensor) -> Tensor:
    b, h, n, d = heads.size()
    heads = heads.permute(0, 2, 1, 3).contiguous()   # (b, n, h, d_k)
    return heads.view(b, n, h * d)


def merge_by_reshape(heads: Tensor) -> Tensor:
    b, h, n, d = heads.size()
    return heads.permute(0, 2, 1, 3).reshape(b, n, h * d)


def merge_by_flatten(heads: Tensor) -> Tensor:
    heads = heads.permute(0, 2, 3, 1)
    return heads.flatten(-2)
