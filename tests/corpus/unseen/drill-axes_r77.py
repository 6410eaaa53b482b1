import torch


def by_transpose(x):
    return torch.transpose(x, -3, -2)


def by_permute(x):
    b, l, h, d = range(4)
    return x.permute(b, h, l, d)


def by_swapaxes(x):
    return torch.swapdims(x, 1, 2)


def by_movedim(x):
    return torch.moveaxis(x, 2, 1)


def swap_last(key):
    return key.mT


def swap_last_copy(key):
    return torch.clone(swap_last(key), memory_format=torch.contiguous_format)


def heads_to_front(x):
    return torch.einsum("blhd->hbld", x)


def heads_to_back(x):
    # (heads, batch, length, head_dim): the heads walk to the place before the last
    return x.movedim(0, 2).clone(memory_format=torch.contiguous_format)
