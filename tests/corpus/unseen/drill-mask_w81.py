import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.arange(max_length, device=lengths.device) < lengths.unsqueeze(1)


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None, :]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    length = mask.size(1)
    return key_mask(mask).expand(-1, heads, length, -1)


def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.bool).tril()


def combined_mask(mask: Tensor) -> Tensor:
    return key_mask(mask) & causal_mask(mask.size(1)).to(mask.device)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    if mask.dim() == 3:
        mask = mask.unsqueeze(1)
    hidden = mask == 0
    return scores.masked_fill(hidden, torch.finfo(scores.dtype).min).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device).masked_fill(~mask, -torch.inf)
