from __future__ import annotations

from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    *front, width = x.shape
    cut = x.view(*front, num_heads, width // num_heads)
    return cut.movedim(-3, -2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    # windows of head_dim features, head_dim apart: (batch, length, heads, head_dim)
    head_dim = x.shape[-1] // num_heads
    return x.unfold(dimension=2, size=head_dim, step=head_dim).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    # swap first: (batch, hidden_dim, length) is cut along axis 1
    return x.mT.unflatten(1, (num_heads, -1)).mT


def merge_by_view(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.shape
    by_position = heads.new_empty(batch, length, num_heads, head_dim)
    by_position = by_position.copy_(heads.swapdims(1, 2))
    return by_position.view(batch, length, num_heads * head_dim)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.shape
    return heads.mT.reshape(batch, num_heads * head_dim, length).mT


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.movedim(1, 2).flatten(start_dim=-2)
