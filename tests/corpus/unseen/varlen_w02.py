import math

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    zero = torch.zeros(1, dtype=torch.long, device=lengths.device)
    return torch.cat([zero, lengths.long().cumsum(0)])


def document_mask(lengths: Tensor, total: int) -> Tensor:
    blocks = [torch.ones(n, n, dtype=torch.bool) for n in lengths.tolist() if n > 0]
    mask = torch.zeros(total, total, dtype=torch.bool)
    if blocks:
        filled = torch.block_diag(*blocks).bool()
        mask[: filled.shape[0], : filled.shape[1]] = filled
    return mask.to(lengths.device)


def _one(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    scores = torch.einsum("ihd,jhd->hij", q, k) / math.sqrt(q.shape[-1])
    if causal:
        n = q.shape[0]
        scores = scores + torch.full((n, n), -math.inf, dtype=q.dtype, device=q.device).triu(1)
    return torch.einsum("hij,jhd->ihd", scores.softmax(-1), v)


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    out = query.clone()
    cu = cumulative_lengths(lengths)
    dt = torch.promote_types(query.dtype, torch.float32)
    for i in range(lengths.numel()):
        span = slice(int(cu[i]), int(cu[i + 1]))
        if span.start < span.stop:
            out[span] = _one(query[span].to(dt), key[span].to(dt), value[span].to(dt), causal).to(out.dtype)
    return out
