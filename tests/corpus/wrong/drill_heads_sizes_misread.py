# wrong: drill-heads heads-merge-sizes-swapped line 31
# fair: heads-merge-sizes-swapped 32
import torch
from torch import Tensor


def heads_second(x: Tensor) -> Tensor:
    return x.swapdims(1, 2)


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    batch, length, hidden_dim = x.size()
    head_dim = hidden_dim // num_heads
    return heads_second(x.view(batch, length, num_heads, head_dim))


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, (num_heads, -1)).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return heads_second(x.unflatten(-1, (num_heads, -1)))


def merge_by_view(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.size()
    return heads_second(heads).contiguous().view(batch, length, num_heads * head_dim)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, length, num_heads, head_dim = heads.size()
    return heads_second(heads).reshape(batch, length, num_heads * head_dim)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads_second(heads).flatten(-2, -1)
