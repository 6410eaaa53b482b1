import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    # put a flag behind each sample's end, and let it run on to the right
    flags = torch.zeros(lengths.numel(), max_length + 1, dtype=torch.int64, device=lengths.device)
    flags.scatter_(1, lengths.long()[:, None], 1)
    real = flags.cumsum(1) == 0
    return real[:, 1:]


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return mask[:, None, None].expand(mask.size(0), heads, mask.size(1), mask.size(1))


def causal_mask(length: int) -> Tensor:
    i = torch.arange(length)
    return i[:, None] >= i[None, :]


def combined_mask(mask: Tensor) -> Tensor:
    i = torch.arange(mask.size(1), device=mask.device)
    return key_mask(mask) & (i[:, None] >= i)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    low = torch.finfo(scores.dtype).min
    return torch.where(mask != 0, scores, low).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return torch.where(mask, 0.0, float("-inf")).to(scores.dtype)
