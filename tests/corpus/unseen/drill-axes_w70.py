import torch
from torch import Tensor


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, dim0=1, dim1=2)


def by_permute(x: Tensor) -> Tensor:
    # tf.transpose(x, perm=[0, 2, 1, 3])
    return torch.permute(x, [0, 2, 1, 3])


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapaxes(x, 1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return torch.moveaxis(x, 2, 1)


def swap_last(key: Tensor) -> Tensor:
    # tf.linalg.matrix_transpose
    return torch.permute(key, [0, 1, 3, 2])


def swap_last_copy(key: Tensor) -> Tensor:
    return torch.clone(swap_last(key))


def heads_to_front(x: Tensor) -> Tensor:
    return torch.permute(x, [2, 0, 1, 3])


def heads_to_back(x: Tensor) -> Tensor:
    return torch.permute(x, [1, 2, 0, 3]).contiguous()
