import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    hd = x.shape[-1] // num_heads
    y = x.view(x.shape[0], -1, num_heads, hd)
    return y.movedim(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    hd = x.shape[-1] // num_heads
    y = x.view(x.shape[0], -1, num_heads, hd)
    return torch.permute(y, (0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    hd = x.shape[-1] // num_heads
    y = x.unflatten(-1, (hd, num_heads))
    return y.permute(0, 3, 1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    y = heads.movedim(1, 2).contiguous()
    return y.view(y.shape[0], y.shape[1], -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    y = heads.movedim(1, 2)
    return y.reshape(y.shape[0], y.shape[1], -1)


def merge_by_flatten(heads: Tensor) -> Tensor:
    y = heads.movedim(1, 2)
    return y.flatten(-2, -1)
