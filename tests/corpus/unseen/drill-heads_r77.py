import torch
from torch import Tensor


class Cut:
    """What the six have in common: the shape between width and heads."""

    def __init__(self, x: Tensor, num_heads: int) -> None:
        self.front = x.shape[:-1]
        self.last = (num_heads, x.shape[-1] // num_heads)

    @property
    def shape(self) -> tuple:
        return (*self.front, *self.last)


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return x.view(Cut(x, num_heads).shape).swapdims(-2, -3)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    pieces = x.as_strided(
        Cut(x, num_heads).shape,
        (*x.stride()[:-1], x.size(-1) // num_heads * x.stride(-1), x.stride(-1)),
        x.storage_offset(),
    )
    return torch.permute(pieces, (0, 2, 1, 3))


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return torch.unflatten(x, dim=2, sizes=Cut(x, num_heads).last).movedim((1, 2), (2, 1))


def merge_by_view(heads: Tensor) -> Tensor:
    batch, _, length, _ = heads.shape
    by_position = heads.transpose(2, 1).clone(memory_format=torch.contiguous_format)
    return by_position.view(batch, length, -1)


def merge_by_reshape(heads: Tensor) -> Tensor:
    return torch.reshape(heads.swapaxes(1, 2), (heads.size(0), heads.size(2), heads.size(1) * heads.size(3)))


def merge_by_flatten(heads: Tensor) -> Tensor:
    return torch.flatten(heads.permute(0, 2, 1, 3), start_dim=2, end_dim=-1)
