# attn-kata: flash-backward
from __future__ import annotations

import math

import torch
from torch import Tensor


def flash_backward(
    query: Tensor,
    key: Tensor,
    value: Tensor,
    output: Tensor,
    lse: Tensor,
    grad_output: Tensor,
    block_size: int,
    causal: bool = False,
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of softmax(query · keyᵀ / √head_dim) · value, in tiles of block_size keys.

    query, key    (batch, heads, length, head_dim), any float dtype
    value         (batch, heads, length, value_dim)
    output        (batch, heads, length, value_dim): what the forward pass returned
    lse           (batch, heads, length): log Σ exp(score) of each query, as it kept it
    grad_output   (batch, heads, length, value_dim): the gradient at the output
    block_size    how many keys a tile has; need not divide length, may be larger
    causal        no query sees a key after its own position
    returns       (grad_query, grad_key, grad_value), in the shapes of query, key and value

    output and lse may be over more keys than are here, as in ring attention: take them as
    they come, and work neither out again from query, key and value.
    No tensor on the way may hold more than
    2 * batch * heads * (length + block_size) * max(block_size, head_dim, value_dim)
    entries, each counted for itself: nothing of length × length, not even a mask.
    Not to be used: autograd (requires_grad, backward, torch.autograd, torch.func), a
    ready-made attention or softmax backward.
    """
    raise NotImplementedError("write me")
