from __future__ import annotations

from torch import *  # noqa: F403
from torch import Tensor
from builtins import bool, range  # the star brings its own


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    out = zeros((lengths.size(0), max_length), dtype=bool, device=lengths.device)
    for row, n in enumerate(lengths.tolist()):
        out[row, :n] = True
    return out


def key_mask(mask: Tensor) -> Tensor:
    nb, n = mask.shape
    sb, sn = mask.stride()
    return mask.as_strided((nb, 1, 1, n), (sb, 0, 0, sn), mask.storage_offset())


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    # stride 0 on the heads and on the queries: both re-read the same row of bytes
    nb, n = mask.shape
    sb, sn = mask.stride()
    return mask.as_strided((nb, heads, n, n), (sb, 0, 0, sn), mask.storage_offset())


def causal_mask(length: int) -> Tensor:
    out = ones((length, length), dtype=bool)
    for i in range(length):
        out[i, i + 1 :] = False
    return out


def combined_mask(mask: Tensor) -> Tensor:
    nb, n = mask.shape
    out = mask.new_zeros((nb, 1, n, n))
    for i in range(n):
        out[:, 0, i, : i + 1] = mask[:, : i + 1]
    return out


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    s = scores.masked_fill(mask == 0, finfo(scores.dtype).min)
    e = exp(s - s.max(dim=-1, keepdim=True).values)
    return e / e.sum(dim=-1, keepdim=True)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    # log 1 = 0, log 0 = -inf
    return mask.to(dtype=scores.dtype).log()
