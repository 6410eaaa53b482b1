import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    per_head = x.shape[2] // num_heads
    return x.view(x.shape[0], x.shape[1], num_heads, per_head).swapdims(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(2, (num_heads, -1)).permute(dims=(0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    parts = x.unflatten(2, (num_heads, -1))
    return parts.transpose(1, 2).contiguous()  # faster matmul later


def _side_by_side(heads: Tensor) -> Tensor:
    return heads.swapdims(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    t = _side_by_side(heads).contiguous()
    return t.view(t.size(0), t.size(1), -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    t = _side_by_side(heads)
    return t.reshape(t.size(0), t.size(1), t.size(2) * t.size(3))


def merge_by_flatten(heads: Tensor) -> Tensor:
    return _side_by_side(heads).flatten(-2)
