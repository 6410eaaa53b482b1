import torch


def by_transpose(x):
    return torch.transpose(x, 1, 2)


def by_permute(x):
    return x.permute([0, 2, 1, 3])


def by_swapaxes(x):
    return torch.swapaxes(x, 1, 2)


def by_movedim(x):
    return torch.movedim(x, (1, 2), (2, 1))


def swap_last(key):
    return key.swapaxes(2, 3)


def swap_last_copy(key):

    return key.swapaxes(2, 3).clone(memory_format=torch.contiguous_format)


def heads_to_front(x):
    return torch.movedim(x, 2, 0)


def heads_to_back(x):
    return torch.moveaxis(x, 0, -2).clone(memory_format=torch.contiguous_format)
