# attn-kata: gated-linear
from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional


def gated_step(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor
) -> tuple[Tensor, Tensor]:
    """Let the state fade, write one position into it, and read it.

    query, key  (batch, heads, head_dim), any float dtype
    value       (batch, heads, value_dim)
    gate        (batch, heads): of the state sigmoid(gate)^(1/16) is kept
    state       (batch, heads, head_dim, value_dim)
    returns     (row, new_state): row is (batch, heads, value_dim), new_state shaped as state

    new_state = sigmoid(gate)^(1/16) · state + key · valueᵀ, and row = new_stateᵀ · query: read
    after it was written. No scale, no feature map, no normaliser. Judged forward alone.
    """
    raise NotImplementedError("write me")


def gated_linear_attention(
    query: Tensor, key: Tensor, value: Tensor, gate: Tensor, state: Tensor, chunk_size: int
) -> tuple[Tensor, Tensor]:
    """Give what as many steps give, in chunks of chunk_size positions.

    query, key  (batch, heads, length, head_dim)
    value       (batch, heads, length, value_dim)
    gate        (batch, heads, length)
    state       (batch, heads, head_dim, value_dim): what the first position finds
    chunk_size  how many positions a chunk has; need not divide length, may be larger
    returns     (output, final_state): output is (batch, heads, length, value_dim); final_state
                is the state after the last position

    Nothing of (length, length): no tensor made on the way may have more than
    batch * heads * max(2 * (length + chunk_size) * max(chunk_size, head_dim, value_dim),
    (length // chunk_size + 2) * head_dim * value_dim) entries, each counted for itself.
    Gates times 10000 must work, and so must gradients.
    """
    raise NotImplementedError("write me")
