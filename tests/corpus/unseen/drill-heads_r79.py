import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return x.view(*x.shape[:-1], num_heads, -1).swapaxes(-3, -2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    head_dim = x.shape[-1] // num_heads
    windows = x.unfold(-1, head_dim, head_dim)   # (batch, length, heads, head_dim), a view
    return torch.permute(windows, (0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return torch.unflatten(x, 2, (num_heads, x.shape[2] // num_heads)).movedim(2, 1)


def merge_by_view(heads: Tensor) -> Tensor:
    b, h, n, d = heads.shape
    return heads.transpose(1, 2).contiguous().view(b, n, h * d)


def merge_by_reshape(heads: Tensor) -> Tensor:
    b, h, n, d = heads.shape
    return torch.reshape(heads.permute(0, 2, 1, 3), (b, n, h * d))


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(heads.swapdims(1, 2), start_dim=-2)
