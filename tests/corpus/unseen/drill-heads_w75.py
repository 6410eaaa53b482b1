import torch
from torch import Tensor


def _dims(x: Tensor, n: int):
    return x.shape[0], x.shape[1], n, x.shape[2] // n


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return x.view(*_dims(x, num_heads)).transpose(2, 1)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return x.view(*_dims(x, num_heads)).permute([0, 2, 1, 3])


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(-1, _dims(x, num_heads)[2:]).swapaxes(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    batch, n, length, width = heads.shape
    moved = heads.transpose(2, 1)
    return moved.view(batch, length, n * width)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, n, length, width = heads.shape
    moved = heads.transpose(2, 1)
    return moved.reshape(batch, length, n * width)


def merge_by_flatten(heads: Tensor) -> Tensor:
    moved = heads.transpose(2, 1)
    return torch.flatten(moved, start_dim=2)
