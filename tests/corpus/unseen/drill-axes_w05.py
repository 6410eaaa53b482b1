import torch


def by_transpose(x):
    return x.transpose(-3, -2)


def by_permute(x):
    return x.permute((0, 2, 1, 3))


def by_swapaxes(x):
    return x.swapaxes(-3, -2)


def by_movedim(x):
    return x.movedim(1, 2)


def swap_last(key):
    return key.transpose(-1, -2)


def swap_last_copy(key):
    return swap_last(key).clone()


def heads_to_front(x):
    return x.movedim(2, 0)


def heads_to_back(x):
    return x.movedim(0, 2).contiguous()
