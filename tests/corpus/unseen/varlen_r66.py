# 变长打包注意力：nested 的想法，自己用 split 实现
from __future__ import annotations

from itertools import accumulate

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return torch.tensor([0, *accumulate(lengths.tolist())], device=lengths.device)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    块 = [torch.ones(n, n, dtype=torch.bool) for n in lengths.tolist()]
    尾 = torch.zeros([total - int(lengths.sum())] * 2, dtype=torch.bool)
    return torch.block_diag(*块, 尾).to(device=lengths.device, dtype=torch.bool)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    各长 = lengths.tolist()
    余 = query.shape[0] - sum(各长)
    片段 = []
    for q, k, v in zip(*(t.split([*各长, 余]) for t in (query, key, value))):
        if len(片段) == len(各长):  # 剩下的是空位
            片段.append(torch.zeros_like(q))
            break
        n = q.shape[0]
        分 = torch.einsum("ihd,jhd->hij", q, k) / q.shape[-1] ** 0.5
        if causal:
            未来 = torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1)
            分 = 分.masked_fill(未来, float("-inf"))
        片段.append(torch.einsum("hij,jhd->ihd", 分.softmax(-1), v))
    return torch.cat(片段)
