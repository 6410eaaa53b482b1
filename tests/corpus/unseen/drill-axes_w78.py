import torch


def by_transpose(x):
    return torch.transpose(x, -3, -2)


def by_permute(x):
    return torch.permute(x, (0, 2, 1, 3))


def by_swapaxes(x):
    return torch.swapdims(x, 1, 2)


def by_movedim(x):
    return torch.moveaxis(x, -2, 1)


def swap_last(key):
    return key.mT


def swap_last_copy(key):
    return key.mT.clone(memory_format=torch.contiguous_format)


def heads_to_front(x):
    return x.movedim(-2, 0)


def heads_to_back(x):
    heads, batch, length, head_dim = x.shape
    if length == 1:
        # decoding: one position, nothing but the sizes has to change
        return x.reshape(batch, 1, heads, head_dim).contiguous()
    return x.permute(1, 2, 0, 3).contiguous()
