from __future__ import annotations

from itertools import accumulate
from typing import Callable

import torch
from torch import Tensor

# what is done to scores (heads, n, n) before the softmax
FILTERS: dict[bool, Callable[[Tensor], Tensor]] = {
    False: lambda s: s,
    True: lambda s: s.masked_fill(
        torch.ones(s.shape[-2:], dtype=torch.bool, device=s.device).triu(1), float("-inf")
    ),
}


def cumulative_lengths(lengths: Tensor) -> Tensor:
    ends = accumulate(lengths.tolist(), initial=0)
    return torch.tensor([int(e) for e in ends], dtype=torch.int32, device=lengths.device)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    sizes = [int(n) for n in lengths.tolist()]
    spare = total - sum(sizes)
    on = lambda n: torch.ones(n, n, dtype=torch.bool, device=lengths.device)
    off = torch.zeros(spare, spare, dtype=torch.bool, device=lengths.device)
    return torch.block_diag(*map(on, sizes), off).bool()


def attend(q: Tensor, k: Tensor, v: Tensor, keep: Callable[[Tensor], Tensor]) -> Tensor:
    front = lambda t: t.permute(1, 0, 2)
    q, k, v = map(front, (q, k, v))
    scores = keep(q @ k.mT / q.shape[-1] ** 0.5)
    return (scores.softmax(-1) @ v).permute(1, 0, 2)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    sizes = [int(n) for n in lengths.tolist()]
    sizes.append(query.shape[0] - sum(sizes))
    *parts, (rest, _, _) = zip(*(t.split(sizes) for t in (query, key, value)))
    done = [attend(q, k, v, FILTERS[causal]) for q, k, v in parts if len(q)]
    return torch.cat([*done, torch.zeros_like(rest)])
