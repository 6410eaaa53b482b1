from __future__ import annotations

import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    out = torch.zeros(lengths.numel(), max_length, dtype=torch.bool, device=lengths.device)
    for row, n in zip(out, lengths):
        row[: int(n)] = True
    return out


def key_mask(mask: Tensor) -> Tensor:
    return mask.unflatten(0, (-1, 1, 1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    b, n = mask.shape
    return mask.as_strided((b, heads, n, n), (mask.stride(0), 0, 0, mask.stride(1)), mask.storage_offset())


def causal_mask(length: int) -> Tensor:
    mask = torch.zeros(length, length, dtype=torch.bool)
    i, j = torch.tril_indices(length, length)
    mask[i, j] = True
    return mask


def combined_mask(mask: Tensor) -> Tensor:
    n = mask.shape[-1]
    return expanded_mask(mask, 1).tril(0) if n else expanded_mask(mask, 1)


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    shown = mask.bool().expand_as(scores)
    visible = scores.masked_fill(~shown, float("-inf"))
    visible = visible - visible.detach().amax(dim=-1, keepdim=True)
    e = visible.exp()
    return e / e.sum(-1, True)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    return torch.log(mask.to(device=scores.device, dtype=scores.dtype))
