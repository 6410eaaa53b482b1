# right: drill-axes
import torch


def by_transpose(x):
    return x.transpose(1, 2)[:]


def by_permute(x):
    b, t, h, d = range(4)
    return x.permute(b, h, t, d)


def by_swapaxes(x):
    return torch.swapaxes(input=x, axis0=1, axis1=2)


def by_movedim(x):
    return torch.movedim(x, source=1, destination=2)


def swap_last(key):
    b, h, t, d = key.shape
    sb, sh, st, sd = key.stride()
    return key.as_strided((b, h, d, t), (sb, sh, sd, st))


def swap_last_copy(key):
    return swap_last(key).reshape(-1).reshape(*key.shape[:2], key.shape[3], key.shape[2])


def heads_to_front(x):
    return x.swapaxes(0, 2).swapaxes(1, 2)


def heads_to_back(x):
    return x.permute(1, 2, 0, 3).flatten().view(x.shape[1], x.shape[2], x.shape[0], x.shape[3])
