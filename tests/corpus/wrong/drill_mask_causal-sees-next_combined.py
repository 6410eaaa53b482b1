# wrong: drill-mask causal-sees-next line 25
# fair: causal-sees-next 25, 26, 27
import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.arange(max_length, device=lengths.device)[None] < lengths[:, None]


def key_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None]


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return mask[:, None, None].expand(-1, heads, mask.shape[-1], -1)


def causal_mask(length: int) -> Tensor:
    return ~torch.ones(length, length, dtype=torch.bool).triu(1)


def combined_mask(mask: Tensor) -> Tensor:
    length = mask.shape[-1]
    ahead = torch.ones(length, length, dtype=torch.bool, device=mask.device).triu(2)
    seen = ~ahead
    return seen & mask[:, None, None]


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min).softmax(-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return scores.new_zeros(mask.shape).masked_fill(~mask, -torch.inf)
