import torch
from torch import Tensor

# numbers count from the back here


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, dim0=-3, dim1=-2)


def by_permute(x: Tensor) -> Tensor:
    b, t, h, d = range(x.ndim)
    return torch.permute(x, dims=(b, h, t, d))


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapdims(x, -2, -3)


def by_movedim(x: Tensor) -> Tensor:
    return torch.moveaxis(x, source=(2, 1), destination=(1, 2))


def swap_last(key: Tensor) -> Tensor:
    return key.mT


def swap_last_copy(key: Tensor) -> Tensor:
    *front, length, head_dim = key.shape
    out = key.new_empty(*front, head_dim, length)
    return out.copy_(key.mT)


def heads_to_front(x: Tensor) -> Tensor:
    return x.movedim(-2, 0)


def heads_to_back(x: Tensor) -> Tensor:
    return torch.stack(x.unbind(0), dim=2)
