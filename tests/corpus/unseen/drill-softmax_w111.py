from __future__ import annotations

import torch
from torch import Tensor


def _减去最大值(x: Tensor, dim: int) -> tuple[Tensor, Tensor]:
    # 沿同一个轴取最大值,保留该轴以便广播
    最大 = x.max(dim, keepdim=True)[0]
    return x - 最大, 最大


def softmax(x: Tensor, dim: int = -1) -> Tensor:
    y, _ = _减去最大值(x, dim)
    分子 = y.exp()
    return 分子 / 分子.sum(dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    y, 最大 = _减去最大值(x, dim)
    # 最后把最大值加回来
    return torch.log1p(y.exp().sum(dim)) + 最大.squeeze(dim)


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    m = mask.bool()
    # 先遮住,再取最大值
    s = scores.masked_fill(m.logical_not(), torch.finfo(scores.dtype).min)
    y, _ = _减去最大值(s, -1)
    分子 = y.exp() * m
    分母 = 分子.sum(-1, keepdim=True)
    # 整行都被遮住时分母为 0,换成 1
    分母 = 分母 + (分母 == 0)
    return 分子 / 分母
