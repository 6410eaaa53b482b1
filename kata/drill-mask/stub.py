# attn-kata: drill-mask
from __future__ import annotations

import torch
from torch import Tensor

# A mask is True, or 1, where a query may attend, in every function here.


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    """Return (batch, max_length) booleans: True at the first lengths[b] places of sample b.

    lengths  (batch,), whole numbers from 1 to max_length
    """
    raise NotImplementedError("write me")


def key_mask(mask: Tensor) -> Tensor:
    """View a mask of keys, (batch, length) booleans, as (batch, 1, 1, length).

    No copy: the result shares the mask's memory.
    """
    raise NotImplementedError("write me")


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    """View a mask of keys, (batch, length) booleans, as (batch, heads, length, length).

    Entry (b, h, i, j) is mask[b, j]. No copy: the result shares the mask's memory.
    """
    raise NotImplementedError("write me")


def causal_mask(length: int) -> Tensor:
    """Return (length, length) booleans: True at (i, j) where query i may see key j, j <= i.

    On the default device: no tensor is given to take one from.
    """
    raise NotImplementedError("write me")


def combined_mask(mask: Tensor) -> Tensor:
    """Return (batch, 1, length, length) booleans: keys that are no padding and not ahead.

    mask     (batch, length) booleans, True at keys that are no padding
    """
    raise NotImplementedError("write me")


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    """Hide the scores that the mask does not show, then softmax over the keys.

    scores   (batch, heads, length, length), any float dtype
    mask     broadcasts to scores: 1 or True where a query may attend, 0 or False where not;
             bool, integer or float
    returns  the shape of scores
    """
    raise NotImplementedError("write me")


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    """Return what is added to scores: 0 where the mask is True and -inf where it is False.

    mask     (batch, 1, length, length) booleans
    scores   (batch, heads, length, length), any float dtype
    returns  the shape of mask, the dtype of scores
    """
    raise NotImplementedError("write me")
