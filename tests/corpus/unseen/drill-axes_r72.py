import torch
from torch import Tensor

BATCH, LENGTH, HEADS, DIM = range(4)


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, dim0=HEADS, dim1=LENGTH)


def by_permute(x: Tensor) -> Tensor:
    order = [BATCH, HEADS, LENGTH, DIM]
    return torch.permute(x, order)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapdims(-2, -3)


def by_movedim(x: Tensor) -> Tensor:
    return torch.moveaxis(x, (1, 2), (2, 1))


def swap_last(key: Tensor) -> Tensor:
    return key.mT


def swap_last_copy(key: Tensor) -> Tensor:
    return torch.empty_like(key.mT, memory_format=torch.contiguous_format).copy_(key.mT)


def heads_to_front(x: Tensor) -> Tensor:
    return torch.einsum("blhd->hbld", x)


def heads_to_back(x: Tensor) -> Tensor:
    # unbind + stack allocates anew, in the order of its axes
    return torch.stack(x.unbind(0), dim=-2)
