# attn-kata: varlen
import torch
from torch import Tensor


def cumulative_lengths(lengths: Tensor) -> Tensor:
    zero = lengths.new_zeros(1)
    return torch.cat((zero, lengths.cumsum(0))).long()


def document_mask(lengths: Tensor, total: int) -> Tensor:
    cu = cumulative_lengths(lengths)
    places = torch.arange(total, device=lengths.device)
    owner = torch.bucketize(places, cu[1:])
    filled = places < cu[-1]
    same = owner.unsqueeze(0) == owner.unsqueeze(1)
    return same & filled.unsqueeze(0) & filled.unsqueeze(1)


def varlen_attention(
    query: Tensor, key: Tensor, value: Tensor, lengths: Tensor, causal: bool = False
) -> Tensor:
    total, heads, head_dim = query.shape
    sizes = lengths.tolist()
    rest = total - sum(sizes)
    pieces = []
    for q, k, v in zip(*(t.split([*sizes, rest]) for t in (query, key, value))):
        if len(pieces) == len(sizes):
            pieces.append(torch.zeros_like(v))
            break
        s = torch.einsum("ihd,jhd->hij", q, k) * head_dim ** -0.5
        if causal:
            n = s.shape[-1]
            s = s.masked_fill(torch.ones(n, n, dtype=torch.bool, device=s.device).triu(1), -torch.inf)
        pieces.append(torch.einsum("hij,jhd->ihd", s.softmax(-1), v))
    return torch.cat(pieces, dim=0)
