import torch


def by_transpose(x):
    return torch.transpose(x, -2, -3)


def by_permute(x):
    return torch.permute(x, (0, 2, 1, 3))


def by_swapaxes(x):
    return torch.swapaxes(x, -3, -2)


def by_movedim(x):
    return torch.movedim(x, source=(1, 2), destination=(2, 1))


def swap_last(key):
    return key.permute(0, 1, 3, 2)


def swap_last_copy(key):
    return torch.clone(swap_last(key), memory_format=torch.contiguous_format)


def heads_to_front(x):
    return torch.movedim(x, 2, 0)


def heads_to_back(x):
    return torch.clone(torch.movedim(x, 0, 2), memory_format=torch.contiguous_format)
