def by_transpose(x):
    # (B, T, H, D) -> (B, H, T, D)
    return x.transpose(1, 2)


def by_permute(x):
    return x.permute(0, 2, 1, 3)


def by_swapaxes(x):
    return x.swapaxes(1, 2)


def by_movedim(x):
    return x.movedim(1, 2)


def swap_last(key):
    return key.transpose(-1, -2)


def swap_last_copy(key):
    return key.transpose(-1, -2).contiguous()


def heads_to_front(x):
    # (B, T, H, D) -> (H, B, T, D)
    return x.permute(2, 0, 1, 3)


def heads_to_back(x):
    # (H, B, T, D) -> (B, T, H, D)
    y = x.permute(1, 2, 0, 3)
    y = y.contiguous()
    return y
