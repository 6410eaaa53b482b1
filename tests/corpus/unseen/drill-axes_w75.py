def by_transpose(x):
    y = x.transpose(2, 1)
    return y


def by_permute(x):
    y = x.permute((0, 2, 1, 3))
    return y


def by_swapaxes(x):
    y = x.swapdims(2, 1)
    return y


def by_movedim(x):
    y = x.moveaxis(2, 1)
    return y


def swap_last(key):
    return key.permute(0, 1, 3, 2)


def swap_last_copy(key):
    return swap_last(key).contiguous()


def heads_to_front(x):
    batch, length, heads, head_dim = x.shape
    return x.view(heads, batch, length, head_dim)


def heads_to_back(x):
    heads, batch, length, head_dim = x.shape
    y = x.permute(1, 2, 0, 3)
    return y.contiguous()
