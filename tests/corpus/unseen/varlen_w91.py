import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    cu = torch.zeros(lengths.shape[0] + 1, dtype=torch.int64, device=lengths.device)
    cu[1:] = lengths.cumsum(0)
    return cu


def document_mask(lengths: Tensor, total: int) -> Tensor:
    cu = cumulative_lengths(lengths)
    place = torch.arange(total, device=lengths.device)
    doc = torch.bucketize(place, cu[1:], right=False)
    used = place < cu[-1]
    return (doc[:, None] == doc[None, :]) & used[:, None] & used[None, :]


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    total, heads, head_dim = query.shape
    cu = cumulative_lengths(lengths).tolist()
    out = torch.zeros_like(query)
    for i in range(len(cu) - 1):
        lo, hi = cu[i], cu[i + 1]
        if lo == hi:
            continue
        for h in range(heads):
            s = query[lo:hi, h] @ key[lo:hi, h].T / head_dim**0.5
            if causal:
                n = hi - lo
                s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=s.device).triu(1), float("-inf"))
            out[lo:hi, h] = s.softmax(dim=-1) @ value[lo:hi, h]
    return out
