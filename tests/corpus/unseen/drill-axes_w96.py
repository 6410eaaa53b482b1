import torch


def by_transpose(x):
    return x.transpose(1, 2)


def by_permute(x):
    return x.permute(0, 2, 1, 3)


def by_swapaxes(x):
    return x.swapaxes(-3, -2)


def by_movedim(x):
    return x.movedim(2, 1)


def swap_last(key):
    return key.mT


def swap_last_copy(key):
    return swap_last(key).contiguous()


def heads_to_front(x):
    return x.permute(2, 0, 1, 3)


def heads_to_back(x):
    # back to (batch, length, heads, head_dim)
    return x.permute(2, 0, 1, 3).contiguous()
