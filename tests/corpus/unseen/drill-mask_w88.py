from functools import lru_cache

import torch
from torch import Tensor


@lru_cache(maxsize=None)
def causal_mask(length: int) -> Tensor:
    return torch.ones(length, length).tril().bool()


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    rows = [torch.arange(max_length, device=lengths.device) < n for n in lengths]
    return torch.stack(rows)


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(2)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    b, n = mask.shape
    return mask.view(b, 1, 1, n).expand(b, heads, n, n)


def combined_mask(mask: Tensor) -> Tensor:
    n = mask.shape[-1]
    return torch.logical_and(expanded_mask(mask, 1), causal_mask(n).to(mask.device))


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    allowed = mask.to(scores.dtype)
    scores = scores * allowed
    e = (scores - scores.amax(-1, keepdim=True)).exp()
    return e / e.sum(-1, keepdim=True)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    out = torch.zeros(mask.shape, dtype=scores.dtype, device=scores.device)
    out[~mask] = float("-inf")
    return out
