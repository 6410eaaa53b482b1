import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    *front, width = x.size()
    cut = x.view(front + [num_heads, width // num_heads])
    return torch.movedim(cut, (-2,), (-3,))


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    # all heads as windows over the width, side by side without an overlap
    size = x.shape[-1] // num_heads
    return x.unfold(-1, size, size).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return torch.unflatten(x, dim=-1, sizes=(num_heads, -1)).swapdims(1, 2)


def merge_by_view(heads: Tensor) -> Tensor:
    batch, _, length, _ = heads.shape
    copy = heads.transpose(1, 2).clone(memory_format=torch.contiguous_format)
    return copy.view(batch, length, heads.size(1) * heads.size(3))


def merge_by_reshape(heads: Tensor) -> Tensor:
    swapped = heads.movedim(1, 2)
    return torch.reshape(swapped, swapped.shape[:2] + (swapped.shape[2] * swapped.shape[3],))


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(torch.permute(heads, (0, 2, 1, 3)), start_dim=-2)
