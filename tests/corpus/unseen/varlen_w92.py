import torch
from torch import Tensor
from torch.nn.functional import pad


def cumulative_lengths(lengths: Tensor) -> Tensor:
    return pad(lengths.long().cumsum(0), (1, 0))


def owners(lengths: Tensor, total: int) -> Tensor:
    """For each place the number of its sequence, -1 where it is empty."""
    ids = torch.arange(lengths.numel(), device=lengths.device).repeat_interleave(lengths.long())
    return pad(ids, (0, total - ids.numel()), value=-1)


def document_mask(lengths: Tensor, total: int) -> Tensor:
    own = owners(lengths, total)
    return own[:, None] == own[None, :]


def attend(q: Tensor, k: Tensor, v: Tensor, causal: bool) -> Tensor:
    """(n, heads, d) each"""
    scores = torch.einsum("ihd,jhd->hij", q, k) * q.shape[-1] ** -0.5
    if causal:
        step = torch.arange(q.shape[0], device=q.device)
        scores = scores.masked_fill(step[None, :] > step[:, None], float("-inf"))
    return torch.einsum("hij,jhd->ihd", scores.softmax(-1), v)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    sizes = lengths.tolist()
    sizes.append(query.shape[0] - sum(sizes))
    *pieces, rest = zip(*(t.split(sizes) for t in (query, key, value)))
    done = [attend(q, k, v, causal) if q.shape[0] else q for q, k, v in pieces]
    return torch.cat([*done, torch.zeros_like(rest[0])])
