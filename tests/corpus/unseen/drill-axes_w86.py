import torch
from torch import Tensor


def _axes(names: str, order: str) -> list[int]:
    return [names.index(letter) for letter in order]


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(x, 1, 2)


def by_permute(x: Tensor) -> Tensor:
    return x.permute(*_axes("blhd", "bhld"))


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapdims(1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return x.moveaxis((1, 2), (2, 1))


def swap_last(key: Tensor) -> Tensor:
    return key.permute(_axes("bhld", "bhdl"))


def swap_last_copy(key: Tensor) -> Tensor:
    return swap_last(key).clone(memory_format=torch.contiguous_format)


def heads_to_front(x: Tensor) -> Tensor:
    return x.permute(_axes("blhd", "hbld"))


def heads_to_back(x: Tensor) -> Tensor:
    heads, batch, length, head_dim = x.shape
    return x.permute(_axes("hbld", "blhd")).reshape(batch, length, heads, head_dim)
