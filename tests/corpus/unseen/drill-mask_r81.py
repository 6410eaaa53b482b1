from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    # 下三角矩阵的第 n-1 行正好有 n 个 True
    staircase = torch.ones(max_length, max_length, dtype=torch.bool, device=lengths.device).tril()
    return staircase[lengths.long() - 1]


def key_mask(mask: Tensor) -> Tensor:
    return mask.unflatten(1, (1, 1, -1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    return mask.as_strided((batch, heads, length, length), (mask.stride(0), 0, 0, mask.stride(1)))


def causal_mask(length: int) -> Tensor:
    # 单位矩阵沿着列累加: 每一列从对角线开始往下都是 1
    return torch.eye(length, dtype=torch.long).cumsum(dim=0) > 0


def combined_mask(mask: Tensor) -> Tensor:
    past = causal_mask(mask.shape[-1]).to(mask.device)
    return torch.logical_and(past, key_mask(mask))


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    wide = scores.to(torch.promote_types(scores.dtype, torch.float32))  # 半精度里 log 不够准
    shown = torch.where(mask != 0, wide, torch.full_like(wide, -torch.inf))
    weights = torch.exp(shown - torch.logsumexp(shown, dim=-1, keepdim=True))
    return weights.to(scores.dtype)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    # log 1 = 0, log 0 = -inf, 都是精确的
    return mask.to(scores.dtype).log()
