from __future__ import annotations

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    count = len(lengths)
    before = torch.ones(count + 1, count, dtype=torch.int64, device=lengths.device).tril(-1)
    return (before * lengths.long()).sum(1)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    starts_and_end = cumulative_lengths(lengths)
    places = torch.arange(total, device=lengths.device)
    begins, ends = starts_and_end[:-1, None], starts_and_end[1:, None]
    inside = (begins <= places) & (places < ends)  # (batch, total)
    return (inside[:, :, None] & inside[:, None, :]).any(0)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    sizes = [int(n) for n in lengths]
    sizes.append(len(query) - sum(sizes))
    pieces = [t.split(sizes) for t in (query, key, value)]
    done = []
    for q, k, v in list(zip(*pieces))[:-1]:
        q, k, v = q.transpose(0, 1), k.transpose(0, 1), v.transpose(0, 1)  # (heads, n, head_dim)
        scores = torch.bmm(q * q.shape[-1] ** -0.5, k.mT)
        if causal:
            n = scores.shape[-1]
            scores = scores.masked_fill(~scores.new_ones(n, n).tril().bool(), float("-inf"))
        done.append(torch.bmm(scores.softmax(-1), v).transpose(0, 1))
    done.append(torch.zeros_like(pieces[0][-1]))
    return torch.cat(done)
