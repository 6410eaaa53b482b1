# attn-kata: backward
from __future__ import annotations

import math

import torch
from torch import Tensor


def attention_backward(
    query: Tensor, key: Tensor, value: Tensor, grad_output: Tensor, causal: bool = False
) -> tuple[Tensor, Tensor, Tensor]:
    """Gradients through softmax(query · keyᵀ / √head_dim) · value, without autograd.

    query         (batch, heads, query_length, head_dim), any float dtype
    key           (batch, heads, key_length, head_dim)
    value         (batch, heads, key_length, value_dim)
    grad_output   (batch, heads, query_length, value_dim): the gradient at the output
    causal        the queries are the last query_length of the key_length positions, and
                  none sees a key after its own position
    returns       (grad_query, grad_key, grad_value), in the shapes of query, key and value

    Scores of a thousand must not overflow. Not to be used: autograd (requires_grad, backward,
    torch.autograd, torch.func), a ready-made softmax backward. softmax itself is welcome.
    """
    raise NotImplementedError("write me")
