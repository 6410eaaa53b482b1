import itertools
import math

import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return torch.tensor(list(itertools.accumulate(lengths.tolist(), initial=0)), dtype=torch.int32, device=lengths.device)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    # the number of ends at or before a place is the sequence's number, whatever is empty in between
    ends = cumulative_lengths(lengths)[1:].contiguous()
    places = torch.arange(total, device=lengths.device, dtype=torch.int32)
    owner = torch.searchsorted(ends, places, right=True)
    owned = owner < lengths.numel()
    return (owner[:, None] == owner[None, :]) & owned[:, None] & owned[None, :]


def _within(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    """one sequence, (length, heads, head_dim)"""
    q, k, v = (t.transpose(0, 1) for t in (q, k, v))
    s = torch.baddbmm(q.new_zeros(()), q, k.transpose(1, 2), beta=0, alpha=1 / math.sqrt(q.shape[-1]))
    if causal:
        n = s.shape[-1]
        s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=s.device).triu(1), -math.inf)
    return torch.bmm(torch.softmax(s, -1), v).transpose(0, 1)


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    sizes = lengths.tolist()
    empty = query.shape[0] - sum(sizes)
    *sequences, rest = zip(*(t.split([*sizes, empty]) for t in (query, key, value)))
    done = [_within(q, k, v, causal) if len(q) else q for q, k, v in sequences]
    nothing = torch.ones_like(rest[0], dtype=torch.bool)
    return torch.cat([*done, rest[0].masked_fill(nothing, 0)])
