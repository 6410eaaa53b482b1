from __future__ import annotations

from itertools import pairwise

import torch
from torch import Tensor, nn


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return nn.functional.pad(lengths.cumsum(0, dtype=torch.int32), (1, 0)).to(torch.int32)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    blocks = [torch.ones(n, n, dtype=torch.bool, device=lengths.device) for n in lengths.tolist() if n]
    rest = total - int(lengths.sum())
    empty = torch.zeros(rest, rest, dtype=torch.bool, device=lengths.device)
    return torch.block_diag(*blocks, empty).bool().reshape(total, total)


class Sequence:
    def __init__(self, q: Tensor, k: Tensor, v: Tensor) -> None:
        self.q, self.k, self.v = (t.movedim(1, 0) for t in (q, k, v))

    def attend(self, causal: bool) -> Tensor:
        s = torch.baddbmm(self.q.new_zeros(1, 1, 1), self.q, self.k.mT, beta=0, alpha=self.q.shape[-1] ** -0.5)
        if causal:
            n = s.shape[-1]
            s = s.masked_fill(torch.ones(n, n, device=s.device).triu(1) > 0, -torch.inf)
        return (s.softmax(-1) @ self.v).movedim(0, 1)


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    offsets = cumulative_lengths(lengths).tolist()
    out = torch.zeros_like(query)
    for start, stop in pairwise(offsets):
        if stop == start:
            continue
        place = torch.arange(start, stop, device=query.device)
        done = Sequence(*(t.index_select(0, place) for t in (query, key, value))).attend(causal)
        out = out.index_copy(0, place, done.to(out.dtype))
    return out
