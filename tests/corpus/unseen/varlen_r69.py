import torch
from torch import Tensor
from torch.nn.functional import pad


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return pad(lengths.to(torch.int64).cumsum(0), (1, 0)).int()


def document_mask(lengths: Tensor, total: int) -> Tensor:
    ends = cumulative_lengths(lengths)[1:].long()
    place = torch.arange(total, device=lengths.device)
    owner = torch.searchsorted(ends, place, right=True)      # = batch where empty
    used = owner < lengths.numel()
    return owner[:, None].eq(owner[None]) & used[:, None]


def _one(q, k, v, causal):
    """q, k, v: (n, h, d)"""
    n = q.shape[0]
    s = torch.einsum("ihd,jhd->hij", q, k) * q.shape[-1] ** -0.5
    if causal:
        s = s.masked_fill(torch.arange(n, device=q.device) > torch.arange(n, device=q.device)[:, None], -torch.inf)
    return torch.einsum("hij,jhd->ihd", s.softmax(-1), v)


def varlen_attention(query, key, value, lengths, causal=False):
    sizes = lengths.tolist()
    sizes.append(query.shape[0] - sum(sizes))
    *seqs, rest = zip(*(t.split(sizes) for t in (query, key, value)))
    return torch.cat([_one(*s, causal) for s in seqs] + [torch.zeros_like(rest[0])])
