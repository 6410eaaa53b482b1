import torch


def by_transpose(x):
    return torch.transpose(x, 1, 2)


def by_permute(x):
    return torch.permute(x, (0, 2, 1, 3))


def by_swapaxes(x):
    return torch.swapaxes(x, 1, 2)


def by_movedim(x):
    return torch.movedim(x, (0, 1, 2, 3), (0, 2, 1, 3))


def swap_last(key):
    return torch.swapaxes(key, -1, -2)


def swap_last_copy(key):
    turned = swap_last(key)
    out = torch.empty_like(turned)
    return out.copy_(turned)


def heads_to_front(x):
    return torch.movedim(x, 2, 0)


def heads_to_back(x):
    batch, length = x.shape[1:3]
    heads, head_dim = x.shape[0], x.shape[3]
    out = x.new_empty(batch, length, heads, head_dim)
    return out.copy_(torch.movedim(x, 0, 2))
