import torch
from torch import Tensor
from torch.nn.functional import softmax


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    return torch.arange(max_length, device=lengths.device).lt(lengths.unsqueeze(-1))


def key_mask(mask: Tensor) -> Tensor:
    batch, length = mask.shape
    return mask.reshape(batch, 1, 1, length)


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    batch, length = mask.shape
    s0, s1 = mask.stride()
    return mask.as_strided((batch, heads, length, length), (s0, 0, 0, s1), mask.storage_offset())


def causal_mask(length: int) -> Tensor:
    i = torch.arange(length)
    return torch.ge(*torch.meshgrid(i, i, indexing="ij"))


def combined_mask(mask: Tensor) -> Tensor:
    n = mask.size(-1)
    past = causal_mask(n).to(mask.device)
    return torch.einsum("bk,qk->bqk", mask.int(), past.int()).bool().unsqueeze(1)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return softmax(torch.where(mask == 0, scores.new_full((), -torch.inf), scores), dim=3)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return torch.log(mask.to(scores.dtype))
