import torch
from torch import Tensor

BHTD = (0, 2, 1, 3)
HEADS_FIRST = (2, 0, 1, 3)


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, 1, 2)


def by_permute(x: Tensor) -> Tensor:
    return torch.permute(x, BHTD)


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapaxes(x, 1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return torch.movedim(x, (1, 2), (2, 1))


def swap_last(key: Tensor) -> Tensor:
    return torch.swapaxes(key, 2, 3)


def swap_last_copy(key: Tensor) -> Tensor:
    return torch.swapaxes(key, 2, 3).clone(memory_format=torch.contiguous_format)


def heads_to_front(x: Tensor) -> Tensor:
    return torch.permute(x, HEADS_FIRST)


def heads_to_back(x: Tensor) -> Tensor:
    return torch.permute(x, HEADS_FIRST).contiguous()
