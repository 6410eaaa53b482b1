import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    grid = torch.arange(max_length, device=lengths.device).repeat(len(lengths), 1)
    return lengths.reshape(-1, 1) > grid


def key_mask(mask: Tensor) -> Tensor:
    return mask.view(mask.shape[0], 1, 1, mask.shape[1])


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    return mask[:, None, :, None].expand(batch, heads, length, length)


def causal_mask(length: int) -> Tensor:
    r = torch.arange(length)
    return r[:, None] >= r[None, :]


def combined_mask(mask: Tensor) -> Tensor:
    length = mask.shape[1]
    r = torch.arange(length, device=mask.device)
    return torch.logical_and(key_mask(mask), r[:, None] >= r)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    scores = scores.masked_fill(mask.to(torch.bool).logical_not(), float("-inf"))
    return torch.softmax(scores, -1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    m = torch.full(mask.shape, float("-inf"), dtype=scores.dtype, device=scores.device)
    m[mask] = 0
    return m
