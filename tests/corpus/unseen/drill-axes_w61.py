import torch as t

# all functions: no copies unless asked


def by_transpose(x):
    return x.transpose(1, 2)


def by_permute(x):
    return x.permute(0, 2, 1, 3)


def by_swapaxes(x):
    return x.swapaxes(1, 2)


def by_movedim(x):
    return x.movedim(1, 2)


def swap_last(key):
    # (.., l, d) -> (.., d, l)
    return key.transpose(-1, -2)


def swap_last_copy(key):
    return swap_last(key).contiguous()


def heads_to_front(x):
    b, l, h, d = x.shape
    y = x.permute(2, 0, 1, 3)
    assert tuple(y.shape) == (h, b, l, d)
    return y


def heads_to_back(x):
    h, b, l, d = x.shape
    y = x.permute(1, 2, 0, 3)
    assert tuple(y.shape) == (b, l, h, d)
    return y.clone()


if __name__ == "__main__":
    z = t.arange(2 * 3 * 4 * 5.0).view(2, 3, 4, 5)
    assert t.equal(heads_to_back(heads_to_front(z)), z)
    print("ok")
