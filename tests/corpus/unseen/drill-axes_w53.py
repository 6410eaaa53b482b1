import torch
from torch import Tensor

# 轴的移动


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(2, 1)


def by_permute(x: Tensor) -> Tensor:
    return torch.permute(x, (0, 2, 1, 3))


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapdims(1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return x.moveaxis(1, 2)


def swap_last(key: Tensor) -> Tensor:
    return key.permute(0, 1, 3, 2)


def swap_last_copy(key: Tensor) -> Tensor:
    return key.permute(0, 1, 3, 2).clone(memory_format=torch.contiguous_format)


def heads_to_front(x: Tensor) -> Tensor:
    # 批次 -> 1,长度 -> 2,头 -> 0
    return x.permute(1, 2, 0, 3)


def heads_to_back(x: Tensor) -> Tensor:
    return torch.stack(x.unbind(0), dim=2)
