import math

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    start = torch.zeros(1, dtype=torch.int32, device=lengths.device)
    return torch.cat([start, lengths.cumsum(0).to(torch.int32)])


def document_mask(lengths: Tensor, total: int) -> Tensor:
    mask = torch.zeros(total, total, dtype=torch.bool, device=lengths.device)
    ends = cumulative_lengths(lengths).tolist()
    for lo, hi in zip(ends, ends[1:]):
        mask[lo:hi, lo:hi] = True
    return mask


def _one(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    """One sequence, (n, heads, head_dim)."""
    q, k, v = (t.transpose(-3, -2) for t in (q, k, v))
    scores = q @ k.mT / math.sqrt(q.size(-1))
    if causal:
        n = q.size(-2)
        scores = scores.masked_fill(torch.ones(n, n, dtype=torch.bool, device=q.device).triu(1), -math.inf)
    return (scores.softmax(dim=-1) @ v).transpose(-3, -2)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    sizes = lengths.tolist()
    if len(set(sizes)) == 1:
        # all of one length: even pieces, no offsets are needed
        pieces = zip(*(t.chunk(len(sizes)) for t in (query, key, value)))
        return torch.cat([_one(q, k, v, causal) for q, k, v in pieces])
    rows, at = [], 0
    for n in sizes:
        s = slice(at, at + n)
        rows.append(_one(query[s], key[s], value[s], causal))
        at += n
    rows.append(torch.zeros_like(query[at:]))
    return torch.cat(rows)
