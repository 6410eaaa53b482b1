from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor


@dataclass
class Packed:
    lengths: Tensor

    @property
    def ends(self) -> Tensor:
        return self.lengths.to(torch.int64).cumsum(dim=0)

    @property
    def starts(self) -> Tensor:
        return self.ends - self.lengths

    def spans(self):
        return [(s, e) for s, e in zip(self.starts.tolist(), self.ends.tolist()) if e > s]


def cumulative_lengths(lengths: Tensor) -> Tensor:
    result = torch.zeros(lengths.shape[0] + 1, dtype=torch.int64, device=lengths.device)
    result[1:] = Packed(lengths).ends
    return result


def document_mask(lengths: Tensor, total: int) -> Tensor:
    position = torch.arange(total, device=lengths.device)
    ends = Packed(lengths).ends
    document = torch.searchsorted(ends, position)
    occupied = position < lengths.sum()
    same = document.unsqueeze(1) == document.unsqueeze(0)
    return same & occupied.unsqueeze(1) & occupied.unsqueeze(0)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    output = torch.zeros_like(query)
    scale = query.shape[-1] ** -0.5
    for start, end in Packed(lengths).spans():
        q = query[start:end].permute(1, 0, 2)
        k = key[start:end].permute(1, 2, 0)
        v = value[start:end].permute(1, 0, 2)
        scores = torch.bmm(q, k) * scale
        if causal:
            keep = torch.ones(end - start, end - start, dtype=torch.bool, device=q.device).tril()
            scores = scores.masked_fill(~keep, float("-inf"))
        output[start:end] = torch.bmm(scores.softmax(dim=-1), v).permute(1, 0, 2)
    return output
