import torch
from torch import Tensor
import torch.nn.functional as F


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return F.pad(lengths.cumsum(0), (1, 0))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    cu = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    doc = torch.searchsorted(cu[1:].contiguous(), place)
    real = place < cu[-1]
    same = doc.unsqueeze(0) == doc.unsqueeze(1)
    return same & real.unsqueeze(0) & real.unsqueeze(1)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    total, _, width = query.shape
    sizes = lengths.tolist()
    sizes.append(total - sum(sizes))
    *docs, tail = zip(query.split(sizes), key.split(sizes), value.split(sizes))

    pieces = []
    for q, k, v in docs:
        scores = torch.einsum("qhd,khd->hqk", q, k) / width**0.5
        if causal:
            ahead = torch.ones_like(scores[0], dtype=torch.bool).triu(1) if len(q) else scores[0].bool()
            scores = scores.masked_fill(ahead, float("-inf"))
        pieces.append(torch.einsum("hqk,khd->qhd", scores.softmax(-1), v))
    pieces.append(torch.zeros_like(tail[0]))
    return torch.cat(pieces)
