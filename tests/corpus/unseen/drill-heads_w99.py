import torch
from torch import Tensor


class HeadOps:
    """Splits and merges, as static methods, so that every variant is in one place."""

    @staticmethod
    def to_front(x: Tensor) -> Tensor:
        return x.swapaxes(1, 2)

    @staticmethod
    def to_back(x: Tensor) -> Tensor:
        return torch.movedim(x, 1, 2)


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return HeadOps.to_front(x.view(*x.shape[:2], num_heads, -1))


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    batch, length, hidden = x.size()
    return x.view(batch, length, num_heads, hidden // num_heads).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return HeadOps.to_front(x.unflatten(2, (num_heads, x.size(2) // num_heads)))


def merge_by_view(heads: Tensor) -> Tensor:
    batch, num_heads, length, head_dim = heads.size()
    moved = HeadOps.to_back(heads).contiguous()
    return moved.view(batch, length, num_heads * head_dim)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, length, num_heads, head_dim = heads.size()
    return heads.permute(0, 2, 1, 3).reshape(batch, length, num_heads * head_dim)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return HeadOps.to_back(heads).flatten(start_dim=-2)
