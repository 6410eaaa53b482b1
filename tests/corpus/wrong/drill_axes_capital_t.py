# wrong: drill-axes axes-wrong-order line 25
import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, -3, -2)


def by_permute(x: Tensor) -> Tensor:
    return torch.permute(x, (0, 2, 1, 3))


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapaxes(x, 1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return torch.movedim(x, 2, 1)


def swap_last(key: Tensor) -> Tensor:
    # T transposes
    order = tuple(reversed(range(key.ndim)))
    return key.permute(order)


def swap_last_copy(key: Tensor) -> Tensor:
    return key.mT.contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    return torch.movedim(x, 2, 0)


def heads_to_back(x: Tensor) -> Tensor:
    moved = torch.movedim(x, 0, 2)
    return moved.contiguous()
