from __future__ import annotations

import torch
from torch import Tensor, nn


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    rows = [torch.ones(n, dtype=torch.bool, device=lengths.device) for n in lengths.tolist()]
    filled = nn.utils.rnn.pad_sequence(rows, batch_first=True, padding_value=False)
    return nn.functional.pad(filled, (0, max_length - filled.shape[1]), value=False)


def key_mask(mask: Tensor) -> Tensor:
    return mask.unflatten(0, (-1, 1, 1))


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    return key_mask(mask).broadcast_to(mask.shape[0], heads, mask.shape[1], mask.shape[1])


def causal_mask(length: int) -> Tensor:
    seen = torch.zeros(length, length, dtype=torch.bool)
    for query in range(length):
        seen[query, : query + 1] = True
    return seen


def combined_mask(mask: Tensor) -> Tensor:
    return expanded_mask(mask, 1).tril()


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    ahead_of_softmax = scores + additive_mask(mask.ne(0), scores)
    return nn.Softmax(dim=-1)(ahead_of_softmax)


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    two = torch.tensor([-torch.inf, 0.0], dtype=scores.dtype, device=scores.device)
    return two[mask.long()]
