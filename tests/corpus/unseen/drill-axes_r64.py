from functools import partial, reduce

import torch

by_transpose = partial(torch.transpose, dim0=-3, dim1=-2)
by_permute = partial(torch.permute, dims=(0, 2, 1, 3))
by_swapaxes = partial(torch.swapaxes, axis0=1, axis1=2)
by_movedim = partial(torch.movedim, source=1, destination=2)
swap_last = partial(torch.transpose, dim0=-1, dim1=-2)


def compose(*fs):
    return lambda x: reduce(lambda y, f: f(y), fs, x)


rows = torch.Tensor.contiguous

swap_last_copy = compose(swap_last, rows)
heads_to_front = compose(by_transpose, partial(torch.transpose, dim0=0, dim1=1))
heads_to_back = compose(partial(torch.transpose, dim0=0, dim1=1), by_transpose, rows)

if __name__ == "__main__":
    x = torch.randn(2, 5, 3, 4)
    assert heads_to_front(x).shape == (3, 2, 5, 4)
