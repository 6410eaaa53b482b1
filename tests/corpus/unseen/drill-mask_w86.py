# attn-kata: drill-mask
import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.arange(max_length, device=lengths.device).unsqueeze(0) < lengths.unsqueeze(1)


def key_mask(mask: Tensor) -> Tensor:
    return mask.view(mask.shape[0], 1, 1, mask.shape[1])


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    return mask[:, None, :, None].expand(batch, heads, length, length)


def causal_mask(length: int) -> Tensor:
    i = torch.arange(length)
    return i[:, None] >= i[None, :]


def combined_mask(mask: Tensor) -> Tensor:
    return mask[:, None, None, :] & causal_mask(mask.shape[1]).to(mask.device)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    low = torch.finfo(scores.dtype).min
    return torch.softmax(scores.masked_fill(mask == 0, low), dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    blank = torch.zeros_like(mask, dtype=scores.dtype)
    return blank.masked_fill(~mask, float("-inf"))
