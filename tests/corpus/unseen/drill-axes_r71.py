# attn-kata: drill-axes
import torch


def by_transpose(x):
    return torch.transpose(x, -2, -3)


def by_permute(x):
    order = [0, 2, 1, 3]
    return torch.permute(x, order)


def by_swapaxes(x):
    return torch.swapdims(x, 1, 2)


def by_movedim(x):
    return torch.moveaxis(x, source=2, destination=1)


def swap_last(key):
    return key.mT


def swap_last_copy(key):
    return swap_last(key).clone(memory_format=torch.contiguous_format)


def heads_to_front(x):
    return x.movedim(-2, 0)


def heads_to_back(x):
    return x.movedim(0, -2).clone(memory_format=torch.contiguous_format)
