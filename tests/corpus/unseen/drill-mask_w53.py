import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    counts = lengths.tolist()
    rows = []
    for n in counts:
        rows.append([j < n for j in range(max(counts))])
    return torch.tensor(rows, device=lengths.device)


def key_mask(mask: Tensor) -> Tensor:
    return mask.view(mask.size(0), 1, 1, mask.size(1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    n = mask.size(1)
    return torch.broadcast_to(key_mask(mask), (mask.size(0), heads, n, n))


def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length, dtype=torch.bool))


def combined_mask(mask: Tensor) -> Tensor:
    seen = causal_mask(mask.size(1)).to(mask.device)
    return torch.logical_and(key_mask(mask), seen)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    # a number that every float dtype can hold
    fill = torch.finfo(scores.dtype).tiny
    return torch.softmax(scores.masked_fill(mask == 0, fill), dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    bias = torch.full(mask.shape, float("-inf"), dtype=scores.dtype, device=scores.device)
    bias[mask] = 0
    return bias
