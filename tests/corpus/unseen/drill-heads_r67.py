import torch
from torch import Tensor


def _merge_axes(heads: Tensor) -> Tensor:
    return torch.stack(heads.unbind(1), dim=2)


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    # cut length and width in one view, heads moved as a whole
    return x.view(*x.shape[:-1], num_heads, x.shape[-1] // num_heads).movedim(2, 1)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    windows = x.unfold(-1, x.shape[-1] // num_heads, x.shape[-1] // num_heads)
    return torch.permute(windows, (0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return torch.unflatten(x.mT, 1, (num_heads, -1)).swapaxes(-1, -2)


def merge_by_view(heads: Tensor) -> Tensor:
    side_by_side = _merge_axes(heads)
    return side_by_side.view(side_by_side.shape[:2] + (-1,))


def merge_by_reshape(heads: Tensor) -> Tensor:
    b, h, t, d = heads.shape
    return torch.reshape(heads.permute(0, 2, 1, 3), (b, t, h * d))


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(heads.mT, start_dim=1, end_dim=2).mT
