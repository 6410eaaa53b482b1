import torch

T = torch.Tensor


def by_transpose(x: T) -> T:
    return x.transpose(2, 1)


def by_permute(x: T) -> T:
    swapped = x.transpose(2, 1)
    return swapped.permute(0, 1, 2, 3)


def by_swapaxes(x: T) -> T:
    return x.swapdims(2, 1)


def by_movedim(x: T) -> T:
    return x.moveaxis(2, 1)


def swap_last(key: T) -> T:
    return key.permute(0, 1, 3, 2)


def swap_last_copy(key: T) -> T:
    return key.permute(0, 1, 3, 2).contiguous()


def heads_to_front(x: T) -> T:
    return x.permute(2, 0, 1, 3)


def heads_to_back(x: T) -> T:
    return x.permute(1, 2, 0, 3).clone(memory_format=torch.contiguous_format)
