import functools

import torch

by_transpose = functools.partial(torch.transpose, dim0=1, dim1=2)
by_permute = functools.partial(torch.permute, dims=(0, 2, 1, 3))
by_swapaxes = functools.partial(torch.swapaxes, axis0=1, axis1=2)
by_movedim = functools.partial(torch.movedim, source=1, destination=-3)

swap_last = functools.partial(torch.transpose, dim0=-2, dim1=-1)


def swap_last_copy(key):
    b, h, n, d = key.shape
    out = torch.empty(b, h, d, n, dtype=key.dtype, device=key.device)
    out[:] = swap_last(key)
    return out


heads_to_front = functools.partial(torch.permute, dims=(2, 0, 1, 3))


def heads_to_back(x):
    return torch.stack(tuple(x), dim=2)
