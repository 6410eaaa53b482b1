from __future__ import annotations

import torch
import torch.nn as nn
from torch import Tensor


def _spans(lengths: Tensor) -> list[slice]:
    ends = torch.cumsum(lengths, 0)
    return [slice(int(e - n), int(e)) for e, n in zip(ends, lengths)]


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return nn.functional.pad(lengths, (1, 0)).cumsum(0)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    owner = lengths.new_zeros((len(lengths), total))
    for i, span in enumerate(_spans(lengths)):
        owner[i, span] = 1
    return (owner.float().T @ owner.float()) > 0


def _attend(query: Tensor, key: Tensor, value: Tensor, causal: bool) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    q, k, v = query.to(wide), key.to(wide), value.to(wide)
    logits = torch.einsum("ihd,jhd->ijh", q, k).div(q.shape[-1] ** 0.5)
    if causal:
        allowed = torch.tril(torch.ones(logits.shape[:2], device=q.device)).unsqueeze(-1)
        logits = logits.masked_fill(allowed == 0, torch.finfo(wide).min)
    probs = logits.softmax(dim=1)
    return torch.einsum("ijh,jhd->ihd", probs, v).to(query.dtype)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    out = query.new_zeros(query.shape)
    for span in _spans(lengths):
        out[span] = _attend(query[span], key[span], value[span], causal)
    return out
