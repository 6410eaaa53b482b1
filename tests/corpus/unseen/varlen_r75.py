import itertools
import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    sums = list(itertools.accumulate((int(n) for n in lengths), initial=0))
    return torch.tensor(sums, dtype=torch.int32, device=lengths.device)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    ends = cumulative_lengths(lengths)[1:].long()
    place = torch.arange(total, device=lengths.device)
    doc = torch.bucketize(place, ends, right=True)
    used = doc < lengths.numel()
    return torch.eq(doc, doc[:, None]) & used & used[:, None]


def _one(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    n, _, d = q.shape
    s = torch.einsum("ihd,jhd->hij", q, k) / d**0.5
    if causal:
        s = s + torch.full((n, n), -torch.inf, dtype=s.dtype, device=s.device).triu(1)
    return torch.einsum("hij,jhd->ihd", s.softmax(-1), v)


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    sizes = lengths.tolist()
    rest = query.shape[0] - sum(sizes)
    chunks = zip(*(t.split(sizes + [rest]) for t in (query, key, value)))
    done = []
    for (q, k, v), is_real in zip(chunks, [True] * len(sizes) + [False]):
        done.append(_one(q, k, v, causal) if is_real and len(q) else q * 0)
    return torch.cat(done)
