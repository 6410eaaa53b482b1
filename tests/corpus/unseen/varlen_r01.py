from __future__ import annotations

import torch
from torch import Tensor

# 变长注意力：不做 padding，逐条序列计算


def cumulative_lengths(lengths: Tensor) -> Tensor:
    cu = torch.zeros(lengths.numel() + 1, dtype=torch.int64, device=lengths.device)
    cu[1:] = torch.cumsum(lengths, dim=0)
    return cu


def document_mask(lengths: Tensor, total: int) -> Tensor:
    ids = torch.full((total,), -1, dtype=torch.int64, device=lengths.device)
    start = 0
    for number, n in enumerate(lengths.tolist()):
        ids[start : start + n] = number
        start += n
    real = ids >= 0  # 空位置不属于任何序列
    return (ids.unsqueeze(0) == ids.unsqueeze(1)) & real.unsqueeze(0) & real.unsqueeze(1)


def _single(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    n, _, d = q.shape
    logits = torch.einsum("ihd,jhd->hij", q, k) / d**0.5
    if causal:
        order = torch.arange(n, device=q.device)
        logits = torch.where(order[:, None] >= order[None, :], logits, torch.finfo(logits.dtype).min)
    logits = logits - logits.amax(dim=-1, keepdim=True).detach()
    expd = logits.exp()
    return torch.einsum("hij,jhd->ihd", expd / expd.sum(dim=-1, keepdim=True), v)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    sizes = lengths.tolist()
    sizes.append(query.shape[0] - sum(sizes))
    groups = list(zip(query.split(sizes), key.split(sizes), value.split(sizes)))
    *documents, (rest, _, _) = groups
    outputs = [_single(q, k, v, causal) for q, k, v in documents if q.shape[0] > 0]
    return torch.cat([*outputs, torch.zeros_like(rest)])
