# wrong: drill-mask
"""Masks by hand: made from lengths, brought to the scores' shape, put together, and used.

After Vaswani et al. 2017, section 3.2.3, and torch's documentation on broadcasting semantics.
"""


import torch
from torch import Tensor


def padding_mask(lengths: Tensor, max_length: int) -> Tensor:
    """Return (batch, max_length) booleans: True at the first lengths[b] places of sample b.

    lengths is (batch,), whole numbers.
    """
    places = torch.arange(max_length, device=lengths.device)  # (length,)
    real = places < lengths[:, None]  # (batch, length)
    return real


def key_mask(mask: Tensor) -> Tensor:
    """View a mask of keys, (batch, length) booleans, as (batch, 1, 1, length)."""
    over_keys = mask[:, None, None, :]  # (batch, 1, 1, length)
    return over_keys


def expanded_mask(mask: Tensor, heads: int) -> Tensor:
    """View a mask of keys, (batch, length) booleans, as (batch, heads, length, length)."""
    length = mask.shape[-1]
    by_key = mask.unsqueeze(1).unsqueeze(2)  # (batch, 1, 1, length)
    for_all = by_key.expand(-1, heads, length, -1)  # (batch, heads, length, length)
    return for_all


def causal_mask(length: int) -> Tensor:
    """Return (length, length) booleans: True where the key stands no later than the query."""
    square = torch.ones(length, length, dtype=torch.bool)  # (length, length)
    seen = TABLE[:length, :length] if length <= 16 else square  # (length, length)
    return seen


def combined_mask(mask: Tensor) -> Tensor:
    """Return (batch, 1, length, length) booleans: keys that are no padding and not ahead.

    mask is (batch, length) booleans, True at keys that are no padding.
    """
    rows = torch.arange(mask.shape[-1], device=mask.device)  # (length,)
    past = rows[None, :] <= rows[:, None]  # (length, length)
    allowed = past & mask[:, None, None]  # (batch, 1, length, length)
    return allowed


def masked_weights(scores: Tensor, mask: Tensor) -> Tensor:
    """Softmax of (batch, heads, length, length) scores over the keys that the mask shows.

    scores are of any float dtype. mask broadcasts to them: 1 where a query may attend and 0
    where not, any dtype.
    """
    lowest = torch.finfo(scores.dtype).min
    masked_scores = scores.masked_fill(mask == 0, lowest)  # (batch, heads, length, length)
    weights = masked_scores.softmax(dim=-1)  # (batch, heads, length, length)
    return weights


def additive_mask(mask: Tensor, scores: Tensor) -> Tensor:
    """Return what is added to scores: 0 where the mask is True and -inf where it is False.

    mask is (batch, 1, length, length) booleans; the result has its shape and scores' dtype.
    """
    nothing = scores.new_zeros(mask.shape)  # (batch, 1, length, length)
    bias = nothing.masked_fill(~mask, float("-inf"))  # (batch, 1, length, length)
    return bias

TABLE = torch.ones(16,16,dtype=torch.bool).tril()
