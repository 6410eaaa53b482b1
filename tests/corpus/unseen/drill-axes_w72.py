import torch


def by_transpose(x): return x.transpose(1, 2)


def by_permute(x): return x.permute(0, 2, 1, 3)


def by_swapaxes(x): return x.swapaxes(1, 2)


def by_movedim(x): return x.movedim(1, 2)


def swap_last(key): return key.transpose(-1, -2)


def swap_last_copy(key): return swap_last(key).contiguous()


def heads_to_front(x):
    b, n, h, d = x.shape
    return x.as_strided((h, b, n, d), (d, n * h * d, h * d, 1))


def heads_to_back(x): return x.permute(1, 2, 0, 3).contiguous()
