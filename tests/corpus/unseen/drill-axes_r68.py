import torch


def by_transpose(x):
    return torch.transpose(x, -3, -2)


def by_permute(x):
    order = list(range(x.dim()))
    order[1], order[2] = order[2], order[1]
    return x.permute(order)


def by_swapaxes(x):
    return torch.swapdims(input=x, dim0=2, dim1=1)


def by_movedim(x):
    return torch.moveaxis(x, (1, 2), (2, 1))


def swap_last(key):
    return torch.einsum("bhld->bhdl", key)


def swap_last_copy(key):
    b, h, l, d = key.shape
    out = key.new_empty(b, h, d, l)
    return out.copy_(key.adjoint()) if not key.is_complex() else out


def heads_to_front(x):
    return torch.stack(x.unbind(2)) if x.numel() == 0 else x.permute(2, 0, 1, 3)


def heads_to_back(x):
    return x.movedim(0, 2).clone(memory_format=torch.contiguous_format)
