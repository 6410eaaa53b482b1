import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return x.view(*x.shape[:-1], num_heads, -1).movedim(-2, -3)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    width = x.shape[-1] // num_heads
    cut = x.unfold(-1, width, width)  # (batch, length, heads, head_dim)
    return torch.permute(cut, dims=(0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    sizes = {"heads": num_heads, "head_dim": x.size(2) // num_heads}
    return torch.unflatten(x, 2, tuple(sizes.values())).swapaxes(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    b, h, n, d = heads.shape
    side_by_side = heads.permute(0, 2, 1, 3).clone(memory_format=torch.contiguous_format)
    return side_by_side.view(b, n, h * d)


def merge_by_reshape(heads: Tensor) -> Tensor:
    b, h, n, d = heads.shape
    return torch.reshape(torch.swapdims(heads, 1, 2), (b, n, h * d))


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(heads.moveaxis(1, 2), start_dim=-2, end_dim=-1)
