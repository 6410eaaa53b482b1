import torch


def by_transpose(x):
    return torch.transpose(x, 2, 1)


def by_permute(x):
    return x.permute((0, -2, -3, -1))


def by_swapaxes(x):
    return torch.swapdims(x, -3, -2)


def by_movedim(x):
    return torch.moveaxis(x, (0, 1, 2, 3), (0, 2, 1, 3))


def swap_last(key):
    b, h, n, d = key.shape
    sb, sh, sn, sd = key.stride()
    return key.as_strided((b, h, d, n), (sb, sh, sd, sn))


def swap_last_copy(key):
    b, h, n, d = key.shape
    buf = torch.empty((b, h, d, n), dtype=key.dtype, device=key.device)
    return buf.copy_(swap_last(key))


def heads_to_front(x):
    b, n, h, d = x.shape
    sb, sn, sh, sd = x.stride()
    return x.as_strided((h, b, n, d), (sh, sb, sn, sd))


def heads_to_back(x):
    return torch.stack(x.unbind(0), dim=2)
