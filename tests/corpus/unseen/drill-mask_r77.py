import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    ends = torch.zeros(lengths.numel(), max_length + 1, dtype=torch.int64, device=lengths.device)
    ends.scatter_(1, lengths.long().unsqueeze(1), 1)           # a 1 where a sample has ended
    return ends.cumsum(1)[:, :max_length] == 0                  # none so far


def key_mask(mask: Tensor) -> Tensor:
    return mask.unflatten(1, (1, 1, -1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    by_sample, by_key = mask.stride()
    return mask.as_strided((batch, heads, length, length), (by_sample, 0, 0, by_key), mask.storage_offset())


def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length).cumsum(0) >= torch.ones(length, length).cumsum(1)


def combined_mask(mask: Tensor) -> Tensor:
    past = causal_mask(mask.size(-1)).to(mask.device)
    return torch.logical_and(mask[:, None, None], past)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    shown = mask.to(torch.bool)
    lowest = torch.finfo(scores.dtype).min
    top = torch.where(shown, scores, lowest).amax(-1, keepdim=True)
    # exp only of what is shown, counted from the largest that is shown
    parts = torch.where(shown, scores - top, 0.0).exp() * shown
    return parts / parts.sum(-1, keepdim=True)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return mask.to(scores.dtype).log()                          # log 1 = 0, log 0 = -inf
