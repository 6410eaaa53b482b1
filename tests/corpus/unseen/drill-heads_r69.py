import torch
from torch import Tensor


def _width(x, n):
    q, r = divmod(x.shape[-1], n)
    assert r == 0, "num_heads must divide the width"
    return q


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    B, T, _ = x.shape
    return torch.movedim(x.view(B, T, num_heads, _width(x, num_heads)), 2, 1)


def split_by_permute(x, num_heads):
    # reshape of the last axis only never copies
    cut = torch.reshape(x, tuple(x.shape[:-1]) + (-1, _width(x, num_heads)))
    return torch.permute(cut, dims=(0, 2, 1, 3))


def split_by_unflatten(x, num_heads):
    return torch.unflatten(x, dim=2, sizes=(num_heads, -1)).swapaxes(1, 2)


def merge_by_view(heads):
    moved = heads.transpose(-3, -2).clone(memory_format=torch.contiguous_format)
    return moved.view(*moved.shape[:-2], heads.size(1) * heads.size(3))


def merge_by_reshape(heads):
    b, h, t, d = heads.shape
    return torch.reshape(heads.permute(0, 2, 1, 3), (b, t, h * d))


def merge_by_flatten(heads):
    return torch.flatten(heads.moveaxis(1, -2), start_dim=-2)
