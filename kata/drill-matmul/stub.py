# attn-kata: drill-matmul
from __future__ import annotations

import torch
from torch import Tensor


def by_operator(weights: Tensor, values: Tensor) -> Tensor:
    """Mix values by weights, with the operator `@`.

    weights  (batch, heads, query_length, key_length), any float dtype
    values   (batch, heads, key_length, head_dim), of the same dtype
    returns  (batch, heads, query_length, head_dim), in the dtype of values
    """
    raise NotImplementedError("write me")


def by_matmul(weights: Tensor, values: Tensor) -> Tensor:
    """The same with torch.matmul."""
    raise NotImplementedError("write me")


def by_einsum(weights: Tensor, values: Tensor) -> Tensor:
    """The same with torch.einsum."""
    raise NotImplementedError("write me")


def by_bmm(weights: Tensor, values: Tensor) -> Tensor:
    """The same with torch.bmm: batch and heads folded into one axis, and unfolded again."""
    raise NotImplementedError("write me")


def by_broadcast(weights: Tensor, values: Tensor) -> Tensor:
    """The same with a multiplication that broadcasts and a sum, and no product of torch's."""
    raise NotImplementedError("write me")
