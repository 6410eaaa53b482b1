from functools import partial

import torch

FRONT = (2, 0, 1, 3)


def swap(f, a, b):
    return lambda x: f(x, a, b)


def by_transpose(x):
    return swap(torch.transpose, 1, 2)(x)


def by_permute(x):
    return x.permute(0, 2, 1, 3)


def by_swapaxes(x):
    return swap(torch.swapaxes, 1, 2)(x)


def by_movedim(x):
    return swap(torch.movedim, 1, 2)(x)


def swap_last(key):
    return key.mT


def swap_last_copy(key):
    return swap_last(key).contiguous()


turn = partial(torch.permute, dims=FRONT)


def heads_to_front(x):
    return turn(x)


def heads_to_back(x):
    return turn(x).contiguous()
