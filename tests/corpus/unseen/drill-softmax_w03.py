# attn-kata: drill-softmax
from __future__ import annotations

import torch
from torch import Tensor


# 减去最大值，防止上溢
def softmax(x: Tensor, dim: int = -1) -> Tensor:
    x_max = x.max(dim=dim, keepdim=True).values
    x_exp = torch.exp(x - x_max)
    return x_exp / x_exp.sum(dim=dim, keepdim=True)


def log_sum_exp(x: Tensor, dim: int = -1) -> Tensor:
    x_max = x.max(dim=dim, keepdim=True).values
    return x_max.squeeze(dim) + torch.log(torch.exp(x - x_max).sum(dim=dim))


def masked_softmax(scores: Tensor, mask: Tensor) -> Tensor:
    keep = (mask != 0)
    x_max = scores.max(dim=-1, keepdim=True).values       # 每一行的最大值
    x_exp = torch.exp(scores - x_max)
    x_exp = torch.where(keep, x_exp, torch.zeros_like(x_exp))   # 不计入的位置为 0
    total = x_exp.sum(dim=-1, keepdim=True)
    total = torch.where(total > 0, total, torch.ones_like(total))   # 整行不计入：避免除以 0
    return x_exp / total
