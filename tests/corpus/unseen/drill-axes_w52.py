import torch


def by_transpose(x):
    return torch.transpose(x, 1, 2)


def by_permute(x):
    batch, length, heads, head_dim = range(4)
    return x.permute(batch, heads, length, head_dim)


def by_swapaxes(x):
    return x.swapaxes(-3, -2)


def by_movedim(x):
    return x.movedim(-2, -3)


def swap_last(key):
    return key.transpose(-1, -2)


def swap_last_copy(key):
    view = swap_last(key)
    copy = torch.empty_like(view)
    copy.copy_(view)
    return copy


def heads_to_front(x):
    return x.permute(2, 0, 1, 3)


def heads_to_back(x):
    return x.permute(1, 2, 0, 3).contiguous()
