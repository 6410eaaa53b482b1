# attn-kata: drill-heads
import torch
from torch import Tensor


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return x.view(x.shape[0], x.shape[1], num_heads, -1).transpose(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return torch.permute(x.view(x.shape[0], x.shape[1], num_heads, -1), (0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return x.unflatten(2, (num_heads, -1)).permute(0, 2, 1, 3)


def merge_by_view(heads: Tensor) -> Tensor:
    n = heads.permute(0, 2, 1, 3).contiguous()
    return n.view(*n.shape[:2], -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    n = heads.movedim(1, 2)
    return n.reshape(*n.shape[:2], -1)


def merge_by_flatten(heads: Tensor) -> Tensor:
    n = heads.movedim(1, -1)
    return n.flatten(2)
