import torch
from torch import Tensor

NEG = float("-inf")


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.arange(max_length, device=lengths.device).expand(lengths.shape[0], -1) < lengths.view(-1, 1)


def key_mask(mask: Tensor) -> Tensor:
    return mask.view(mask.shape[0], 1, 1, mask.shape[1])


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    n = mask.shape[1]
    return mask[:, None, None].expand(-1, heads, n, n)


def causal_mask(length: int) -> Tensor:
    rows = torch.arange(length).unsqueeze(1)
    return torch.arange(length) <= rows


def combined_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None] & causal_mask(mask.shape[1]).to(mask.device)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.softmax(torch.where(mask > 0, scores, NEG), dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    m = mask.to(scores.dtype)
    return (1.0 - m) * NEG
