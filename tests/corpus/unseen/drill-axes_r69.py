from functools import partial, reduce
from operator import methodcaller

import torch

by_transpose = methodcaller("transpose", -3, -2)
by_permute = methodcaller("permute", 0, 2, 1, 3)
by_swapaxes = partial(torch.swapaxes, axis0=1, axis1=2)
by_movedim = partial(torch.movedim, source=[2], destination=[1])


def compose(*steps):
    return lambda x: reduce(lambda y, step: step(y), steps, x)


swap_last = methodcaller("swapaxes", -1, -2)
copied = methodcaller("clone", memory_format=torch.contiguous_format)
swap_last_copy = compose(swap_last, copied)
heads_to_front = compose(by_permute, methodcaller("movedim", 1, 0))
heads_to_back = compose(methodcaller("movedim", 0, 2), copied)
