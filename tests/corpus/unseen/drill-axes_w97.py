from torch import Tensor

BATCH, LENGTH, HEADS, DIM = range(4)


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(LENGTH, HEADS)


def by_permute(x: Tensor) -> Tensor:
    return x.permute(BATCH, HEADS, LENGTH, DIM)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapaxes(LENGTH, HEADS)


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim(HEADS, LENGTH)


def swap_last(key: Tensor) -> Tensor:
    return key.transpose(-1, -2)


def swap_last_copy(key: Tensor) -> Tensor:
    return key.transpose(-1, -2).clone()


def heads_to_front(x: Tensor) -> Tensor:
    return x.movedim(HEADS, 0)


def heads_to_back(x: Tensor) -> Tensor:
    return x.movedim(0, 2).contiguous()
