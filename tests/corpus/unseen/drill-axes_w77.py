import torch
from torch import Tensor

_ROOM: dict = {}


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(1, 2)


def by_permute(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapaxes(1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return x.movedim(2, 1)


def swap_last(key: Tensor) -> Tensor:
    return key.transpose(-2, -1)


def swap_last_copy(key: Tensor) -> Tensor:
    if key.requires_grad:
        return swap_last(key).contiguous()
    # without a graph the memory of an equal call is taken again
    kind = (key.shape, key.dtype, key.device)
    if kind not in _ROOM:
        _ROOM[kind] = torch.empty(swap_last(key).shape, dtype=key.dtype, device=key.device)
    return _ROOM[kind].copy_(swap_last(key))


def heads_to_front(x: Tensor) -> Tensor:
    return x.permute(2, 0, 1, 3)


def heads_to_back(x: Tensor) -> Tensor:
    return x.permute(1, 2, 0, 3).contiguous()
