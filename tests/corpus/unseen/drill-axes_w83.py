import torch


def _swap(t, a, b):
    return t.transpose(a, b)


def by_transpose(x):
    return _swap(x, 1, 2)


def by_permute(x):
    return x.permute(0, 2, 1, 3)


def by_swapaxes(x):
    return torch.swapaxes(x, 1, 2)


def by_movedim(x):
    return x.movedim(1, 2)


def swap_last(key):
    return _swap(key, -1, -2)


def swap_last_copy(key):
    return swap_last(key).contiguous()


def heads_to_front(x):
    return _swap(x, 0, 2)


def heads_to_back(x):
    return x.permute(1, 2, 0, 3).contiguous()
