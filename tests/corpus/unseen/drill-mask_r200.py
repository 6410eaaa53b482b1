from __future__ import annotations

import torch
from torch import Tensor
from torch.func import vmap

# Index functions first, tensors by vmap (mask_mod style). True = may attend.


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    place = torch.ones(max_length, dtype=torch.long, device=lengths.device).cumsum(0)
    return vmap(lambda n: place <= n)(lengths)


def key_mask(mask: Tensor) -> Tensor:
    return mask.unflatten(0, (mask.size(0), 1, 1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    (b, n), (sb, sn) = mask.shape, mask.stride()
    return mask.as_strided((b, heads, n, n), (sb, 0, 0, sn))


def causal_mask(length: int) -> Tensor:
    i = torch.arange(length)
    return vmap(vmap(torch.ge, (None, 0)), (0, None))(i, i)


def combined_mask(mask: Tensor) -> Tensor:
    causal = causal_mask(mask.size(1)).to(mask.device)
    return vmap(lambda m: (causal & m).unsqueeze(0))(mask)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    return torch.where(mask.bool(), scores, -torch.inf).softmax(dim=-1)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return mask.to(scores.dtype).log()
