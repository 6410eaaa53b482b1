import torch


def by_transpose(x):
    result = x.transpose(1, 2)
    return result


def by_permute(x):
    new_order = (0, 2, 1, 3)
    result = x.permute(*new_order)
    return result


def by_swapaxes(x):
    result = x.swapaxes(1, 2)
    return result


def by_movedim(x):
    result = x.movedim(2, 1)
    return result


def swap_last(key):
    result = key.transpose(2, 3)
    return result


def swap_last_copy(key):
    swapped = swap_last(key)
    result = swapped.contiguous()
    return result


def heads_to_front(x):
    heads_axis = 2
    front = 0
    result = x.transpose(front, heads_axis)
    return result


def heads_to_back(x):
    moved = x.movedim(0, 2)
    result = moved.contiguous()
    return result
