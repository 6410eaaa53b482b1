# wrong: sdpa mask-or-causal line 21
from __future__ import annotations

import math

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, attn_mask: "Tensor | None" = None, causal=False
):

    dots = query @ key.mT  # 矩阵乘法
    s = key.shape[-2]
    t, head_dim = query.shape[-2:]
    att = dots * (head_dim ** -0.5)  # 除以根号 d

    zuixiao = torch.finfo(att.dtype).min
    yanma_fenshu = att
    if attn_mask is not None and not causal:
        yanma_fenshu = torch.where(attn_mask.logical_not(), zuixiao, yanma_fenshu)
    if causal:

        square = att.new_ones(t, s)
        tri = square.tril(diagonal=s - t)
        yanma_fenshu = torch.where(tri.logical_not(), zuixiao, yanma_fenshu)

    w = torch.softmax(yanma_fenshu, dim=-1)  # 对 key 做 softmax
    jieguo = w @ value  # 矩阵乘法

    return jieguo
