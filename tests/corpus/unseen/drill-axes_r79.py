import torch
from torch import Tensor

# b length h d


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, -3, -2)


def by_permute(x: Tensor) -> Tensor:
    order = [0, 1, 2, 3]
    order[1], order[2] = order[2], order[1]
    return x.permute(order)


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapdims(x, 2, 1)


def by_movedim(x: Tensor) -> Tensor:
    return torch.moveaxis(x, source=(1, 2), destination=(2, 1))


def swap_last(key: Tensor) -> Tensor:
    return key.mT


def swap_last_copy(key: Tensor) -> Tensor:
    return swap_last(key).clone(memory_format=torch.contiguous_format)


def heads_to_front(x: Tensor) -> Tensor:
    return x.movedim(-2, 0)


def heads_to_back(x: Tensor) -> Tensor:
    return torch.stack(x.unbind(0), dim=2)
