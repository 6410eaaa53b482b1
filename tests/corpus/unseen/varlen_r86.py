from __future__ import annotations

from typing import Iterator

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return torch.nn.functional.pad(lengths.long().cumsum(0), (1, 0))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    squares = [torch.ones(n, n, dtype=torch.bool, device=lengths.device) for n in lengths.tolist()]
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    starts = cumulative_lengths(lengths).tolist()
    for start, square in zip(starts, squares):
        mask[start:, start:][: len(square), : len(square)] = square
    return mask


def _sequences(lengths: Tensor, *buffers: Tensor) -> Iterator[tuple[Tensor, ...]]:
    """Each sequence's part of each buffer, heads first: (heads, length, head_dim)."""
    sizes = [int(n) for n in lengths.tolist()]
    sizes.append(len(buffers[0]) - sum(sizes))  # the empty places
    parts = zip(*(buffer.movedim(1, 0).split(sizes, dim=1) for buffer in buffers))
    for size, part in zip(sizes[:-1], parts):
        if size:
            yield part


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    wide = torch.promote_types(query.dtype, torch.float32)
    outputs: list[Tensor] = []
    for q, k, v in _sequences(lengths, query, key, value):
        scores = torch.bmm(q.to(wide), k.to(wide).mT) / q.shape[-1] ** 0.5
        if causal:
            n = q.shape[1]
            scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1), -torch.inf)
        context = torch.bmm(scores.softmax(dim=-1), v.to(wide))
        outputs.append(context.movedim(0, 1).to(query.dtype))
    written = sum(map(len, outputs))
    outputs.append(query.new_zeros(len(query) - written, *query.shape[1:]))
    return torch.cat(outputs)
