# attn-kata: drill-mask
import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    places = torch.arange(max_length, device=lengths.device).expand(lengths.numel(), -1)
    return places.lt(lengths.view(-1, 1))


def key_mask(mask: Tensor) -> Tensor:
    return mask.unsqueeze(1).unsqueeze(1)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    n = mask.size(-1)
    return key_mask(mask).expand(-1, heads, n, -1)


def causal_mask(length: int) -> Tensor:
    return torch.tril(torch.ones((length, length), dtype=torch.bool))


def combined_mask(mask: Tensor) -> Tensor:
    tri = causal_mask(mask.size(1)).to(mask.device)
    return torch.logical_and(key_mask(mask), tri)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    neg = torch.finfo(scores.dtype).min
    return torch.where(mask != 0, scores, neg).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    zero = torch.zeros(mask.shape, dtype=scores.dtype, device=mask.device)
    return zero.masked_fill(mask.logical_not(), float("-inf"))
