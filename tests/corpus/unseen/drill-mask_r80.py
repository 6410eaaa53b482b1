import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    places = torch.arange(max_length, device=lengths.device)
    return torch.stack([places < n for n in lengths])


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None, :]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    shape = (mask.shape[0], heads, mask.shape[1], mask.shape[1])
    return key_mask(mask).broadcast_to(shape)


def causal_mask(length: int) -> Tensor:
    step = torch.arange(length)
    return torch.ge(step.unsqueeze(1), step)


def combined_mask(mask: Tensor) -> Tensor:
    return torch.logical_and(key_mask(mask), causal_mask(mask.shape[1]).to(mask.device))


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask != 0, scores, -torch.inf).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    # log 1 = 0, log 0 = -inf
    return mask.to(scores.dtype).log()
