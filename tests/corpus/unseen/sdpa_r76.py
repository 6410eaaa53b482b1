from __future__ import annotations

import functools
import operator
from collections.abc import Iterator

import torch
from torch import Tensor


def _conditions(mask: Tensor | None, causal: bool, tq: int, tk: int, device) -> Iterator[Tensor]:
    """Everything that restricts who sees whom; True = may attend."""
    if mask is not None:
        yield mask.to(device=device) != 0
    if causal:
        stand = torch.arange(tk - tq, tk, device=device).unsqueeze(1)
        yield torch.arange(tk, device=device) <= stand


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    tq, tk = query.shape[-2], key.shape[-2]
    scores = torch.matmul(query * query.shape[-1] ** -0.5, key.transpose(-2, -1))
    if rules := list(_conditions(mask, causal, tq, tk, query.device)):
        allowed = functools.reduce(operator.and_, rules)
        scores = scores.masked_fill(allowed.logical_not(), torch.finfo(scores.dtype).min)
    return torch.matmul(torch.softmax(scores, dim=-1), value)


# def attention_v0(q, k, v):
#     s = q @ k.transpose(-2, -1) / math.sqrt(q.size(-1))
#     return s.softmax(-1) @ v
