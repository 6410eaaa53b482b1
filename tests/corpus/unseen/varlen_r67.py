from __future__ import annotations

import math

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    n = lengths.numel()
    below = torch.ones(n + 1, n, dtype=torch.long, device=lengths.device).tril(-1)
    return (below * lengths.long()).sum(1).to(torch.int32)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    """a place's document is the number of documents that have ended before it"""
    ends = cumulative_lengths(lengths)[1:].contiguous()
    document = torch.bucketize(torch.arange(total, device=lengths.device, dtype=ends.dtype), ends, right=True)
    one = torch.nn.functional.one_hot(document, len(lengths) + 1)[:, :-1].float()
    return one @ one.T > 0


class _Document:
    def __init__(self, query: Tensor, key: Tensor, value: Tensor):
        self.q, self.k, self.v = (t.transpose(0, 1) for t in (query, key, value))

    def attend(self, causal: bool) -> Tensor:
        scores = torch.bmm(self.q, self.k.mT) / math.sqrt(self.q.shape[-1])
        if causal:
            n = scores.shape[-1]
            scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool, device=scores.device).triu(1), -math.inf)
        return torch.bmm(scores.softmax(-1), self.v).transpose(0, 1)


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    sizes = [int(n) for n in lengths]
    sizes.append(len(query) - sum(sizes))
    *documents, empty = zip(*(t.split(sizes) for t in (query, key, value)))
    outs = [_Document(*d).attend(causal) for d in documents]
    outs.append(torch.zeros_like(empty[0]))
    return torch.cat(outs)
