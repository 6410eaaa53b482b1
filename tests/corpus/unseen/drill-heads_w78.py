import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch, length, hidden = x.size()
    head_dim = hidden // num_heads
    return x.view(batch, num_heads, length, head_dim)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    batch, length, hidden = x.size()
    head_dim = hidden // num_heads
    return x.reshape(batch, length, num_heads, head_dim).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(2, (num_heads, -1)).swapaxes(1, 2)


def _front(heads: Tensor) -> Tensor:
    return heads.swapaxes(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    y = _front(heads).contiguous()
    return y.view(y.size(0), y.size(1), -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    y = _front(heads)
    return y.reshape(y.size(0), y.size(1), -1)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return _front(heads).flatten(2, 3)
