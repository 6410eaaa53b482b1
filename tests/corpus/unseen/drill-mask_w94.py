import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    idx = torch.arange(max_length, device=lengths.device)
    return idx[None, :] < lengths[:, None]


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None, :]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    bsz, src_len = mask.size()
    return mask[:, None, None, :].expand(bsz, heads, src_len, src_len)


def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones(length, length)).bool()


def combined_mask(mask: Tensor) -> Tensor:
    pad = mask[:, :, None] & mask[:, None, :]
    tri = causal_mask(mask.size(1)).to(mask.device)
    return (pad & tri)[:, None]


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    mask = mask.to(torch.bool)
    return torch.softmax(scores.masked_fill(torch.logical_not(mask), float("-inf")), dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    zeros = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    return zeros.masked_fill(torch.logical_not(mask), float("-inf"))
