from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    places = torch.arange(max_length, device=lengths.device)
    return places.expand(len(lengths), -1) < lengths.unsqueeze(-1)


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(2)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    return mask.view(batch, 1, 1, length).expand(batch, heads, length, length)


def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length).tril().bool()


def combined_mask(mask: Tensor) -> Tensor:
    # neither side of a pair may be padding
    pairs = torch.einsum("bi,bj->bij", mask.float(), mask.float())
    return pairs.tril().bool().unsqueeze(1)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    zero = scores.new_zeros(())
    return torch.where(mask, zero, -torch.inf)
