import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    zero = torch.zeros(1, dtype=torch.int64, device=lengths.device)
    return torch.cat((zero, lengths.cumsum(0)))


def document_mask(lengths: Tensor, total: int) -> Tensor:
    cu = cumulative_lengths(lengths)
    where = torch.arange(total, device=lengths.device)
    # which sequence a place is in, by binary search among the ends
    seq = torch.searchsorted(cu[1:].contiguous(), where)
    inside = where < cu[-1]
    same = seq.unsqueeze(0) == seq.unsqueeze(1)
    return same & inside.unsqueeze(0) & inside.unsqueeze(1)


def varlen_attention(query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False) -> Tensor:
    edges = cumulative_lengths(lengths).tolist()
    result = torch.zeros_like(query)
    for lo, hi in zip(edges[:-1], edges[1:]):
        if hi == lo:
            continue
        att = torch.einsum("ihd,jhd->hij", query[lo:hi], key[lo:hi]) * query.size(-1) ** -0.5
        if causal:
            att = att + torch.full_like(att[0], float("-inf")).triu(1)
        result[lo:hi] = torch.einsum("hij,jhd->ihd", att.softmax(-1), value[lo:hi])
    return result
