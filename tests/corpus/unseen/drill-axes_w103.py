import functools

import torch


def row_major(fn):
    """For functions whose result has to lie in memory row by row."""

    @functools.wraps(fn)
    def wrapped(t):
        return fn(t.contiguous())

    return wrapped


def by_transpose(x):
    return torch.Tensor.transpose(x, 1, 2)


def by_permute(x):
    return torch.Tensor.permute(x, (0, 2, 1, 3))


def by_swapaxes(x):
    return torch.Tensor.swapaxes(x, 1, 2)


def by_movedim(x):
    return torch.Tensor.movedim(x, 2, 1)


def swap_last(key):
    return key.transpose(2, 3)


@row_major
def swap_last_copy(key):
    return key.transpose(2, 3)


def heads_to_front(x):
    return x.permute(2, 0, 1, 3)


@row_major
def heads_to_back(x):
    return x.permute(1, 2, 0, 3)
