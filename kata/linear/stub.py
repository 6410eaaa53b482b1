# attn-kata: linear
from __future__ import annotations

import torch
from torch import Tensor


def linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Attention with φ(x) = elu(x) + 1 for softmax; every query sees every key.

    query    (batch, heads, query_length, head_dim), any float dtype
    key      (batch, heads, key_length, head_dim)
    value    (batch, heads, key_length, value_dim)
    returns  (batch, heads, query_length, value_dim): for each query the mean of the
             values with weights φ(query)·φ(key), made to add up to 1; no scale

    No (query_length, key_length) matrix, not even for one head: no tensor made on the
    way may have more than batch · heads · max(query_length, key_length) · head_dim ·
    (value_dim + 1) entries.
    """
    raise NotImplementedError("write me")


def causal_linear_attention(query: Tensor, key: Tensor, value: Tensor) -> Tensor:
    """Let each position see itself and what comes before it, by a running state.

    query, key  (batch, heads, length, head_dim)
    value       (batch, heads, length, value_dim)
    returns     (batch, heads, length, value_dim)

    No (length, length) matrix, not even for one head: no tensor made on the way may
    have more than batch · heads · length · head_dim · (value_dim + 1) entries.
    """
    raise NotImplementedError("write me")
