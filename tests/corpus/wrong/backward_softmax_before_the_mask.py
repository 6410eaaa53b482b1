# wrong: backward max-over-hidden line 35
# fair: max-over-hidden 36
"""The backward pass of scaled dot-product attention, by hand.

Dao, Fu, Ermon, Rudra and Ré 2022, FlashAttention, appendix B.2: with P = softmax(S) row by row,
dS = P ∘ (dP − rowsum(P ∘ dP)).
"""

from __future__ import annotations

import math

from torch import Tensor


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """Return the loss's gradients with respect to query, key and value, given the output's.

    query is (batch, heads, query_length, head_dim), key (batch, heads, key_length, head_dim),
    value (batch, heads, key_length, value_dim) and grad_output (batch, heads, query_length,
    value_dim); any float dtype. causal: the queries are the last query_length of the key_length
    positions, and none sees a key that comes after it.
    """
    query_length, head_dim = query.shape[-2:]
    key_length = key.shape[-2]
    scale = 1 / math.sqrt(head_dim)
    scores = query @ key.mT * scale  # (batch, heads, query_length, key_length)
    masked_scores = scores
    if causal:
        square = scores.new_ones(query_length, key_length)  # (query_length, key_length)
        seen = square.tril(diagonal=key_length - query_length)  # (query_length, key_length)
        masked_scores = scores.masked_fill(seen == 0, float("-inf"))
    kept = scores.softmax(dim=-1) * (masked_scores == scores)
    weights = kept / kept.sum(dim=-1, keepdim=True)
    grad_value = weights.mT @ grad_output  # (batch, heads, key_length, value_dim)
    grad_weights = grad_output @ value.mT  # (batch, heads, query_length, key_length)
    shares = weights * grad_weights  # (batch, heads, query_length, key_length)
    row_sums = shares.sum(dim=-1, keepdim=True)  # (batch, heads, query_length, 1)
    # Where a key is hidden its weight is 0, and so is its score's gradient.
    grad_scores = weights * (grad_weights - row_sums)  # (batch, heads, query_length, key_length)
    grad_products = grad_scores * scale  # (batch, heads, query_length, key_length)
    grad_query = grad_products @ key  # (batch, heads, query_length, head_dim)
    grad_key = grad_products.mT @ query  # (batch, heads, key_length, head_dim)
    return grad_query, grad_key, grad_value
