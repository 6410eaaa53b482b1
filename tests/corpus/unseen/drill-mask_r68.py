import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    marks = torch.zeros(lengths.shape[0], max_length + 1, dtype=torch.int64, device=lengths.device)
    marks.scatter_(1, lengths.long().unsqueeze(1), 1)
    return marks.cumsum(1)[:, :-1] == 0


def key_mask(mask: Tensor) -> Tensor:
    return mask.unflatten(1, (1, 1, -1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    b, k = mask.stride()
    B, K = mask.shape
    return mask.as_strided((B, heads, K, K), (b, 0, 0, k), mask.storage_offset())


def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length, dtype=torch.int8).cumsum(0).ge(torch.arange(1, length + 1))


def combined_mask(mask: Tensor) -> Tensor:
    n = mask.size(-1)
    return key_mask(mask).expand(-1, -1, n, -1).tril()


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    shown = (mask != 0).expand_as(scores)
    big = scores.masked_fill(~shown, -torch.inf).amax(-1, keepdim=True)
    e = torch.where(shown, scores - big, -torch.inf).exp()
    return e / e.sum(-1, keepdim=True)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return torch.zeros_like(mask, dtype=scores.dtype).masked_fill(mask.logical_not(), -torch.inf)
