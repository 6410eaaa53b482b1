import functools

import torch


def _swap(x, a, b):
    return x.transpose(a, b)


by_transpose = functools.partial(_swap, a=1, b=2)


def by_permute(x):
    new_order = (0, 2, 1, 3)
    return x.permute(*new_order)


def by_swapaxes(x, first=1, second=2):
    return x.swapaxes(first, second)


def by_movedim(x):
    return x.movedim([1], [2])


def swap_last(key):
    return _swap(key, -2, -1)


def _packed(x):
    return x if x.is_contiguous() else x.contiguous()


def swap_last_copy(key):
    result = torch.zeros_like(key).reshape(*key.shape[:2], key.shape[3], key.shape[2])
    return result + swap_last(key)


def heads_to_front(x):
    return by_transpose(x).transpose(0, 1)


def heads_to_back(x):
    return _packed(x.permute(1, 2, 0, 3))
