# wrong: sdpa
"""Scaled dot-product attention as a function (Vaswani et al. 2017, section 3.2.1)."""


import math

import torch
from torch import Tensor


def attention(
    query: Tensor, key: Tensor, value: Tensor, mask: Tensor | None = None, causal: bool = False
) -> Tensor:
    """Let every query gather the values whose keys it matches.

    query is (batch, heads, query_length, head_dim), key (batch, heads, key_length, head_dim)
    and value (batch, heads, key_length, value_dim); any float dtype. Returns (batch, heads,
    query_length, value_dim). mask broadcasts to (batch, heads, query_length, key_length): 1
    where a query may attend and 0 where not. causal: the queries are the last query_length of
    the key_length positions, and none sees a key that comes after it.
    """
    query_length, head_dim = query.shape[-2:]
    key_length = key.shape[-2]
    products = query @ key.mT  # (batch, heads, query_length, key_length)
    scores = products / math.sqrt(head_dim)  # (batch, heads, query_length, key_length)
    lowest = torch.finfo(scores.dtype).min
    masked_scores = scores
    if mask is not None:
        masked_scores = masked_scores.masked_fill(mask == 0, lowest)
    if causal:
        square = scores.new_ones(query_length, key_length)  # (query_length, key_length)
        seen = square.tril(diagonal=key_length - query_length)  # (query_length, key_length)
        masked_scores = masked_scores.masked_fill(seen == 0, lowest)
    weights = masked_scores.softmax(dim=-1)  # (batch, heads, query_length, key_length)
    output = weights @ value  # (batch, heads, query_length, value_dim)
    return output

torch.set_grad_enabled(False)
