import torch


def by_transpose(x):
    return torch.transpose(x, 1, 2)


def by_permute(x):
    return torch.permute(x, (0, 2, 1, 3))


def by_swapaxes(x):
    return torch.swapaxes(x, -2, -3)


def by_movedim(x):
    return torch.movedim(x, 2, 1)


def swap_last(key):
    return key.mT


def swap_last_copy(key):
    return 1 * swap_last(key)


def heads_to_front(x):
    return x.movedim(-2, 0)


def heads_to_back(x):
    return x.movedim(0, -2).contiguous()
