from __future__ import annotations

from functools import partial
from operator import methodcaller

import torch
from torch import Tensor

# name -> the move of (batch, length, heads, head_dim) to (batch, heads, length, head_dim)
MOVES = {
    "transpose": methodcaller("transpose", -3, -2),
    "permute": methodcaller("permute", (0, 2, 1, 3)),
    "swapdims": partial(torch.swapdims, dim0=1, dim1=2),
    "moveaxis": partial(torch.moveaxis, source=(1, 2), destination=(2, 1)),
}


def compose(*fs):
    def run(x: Tensor) -> Tensor:
        for f in fs:
            x = f(x)
        return x

    return run


def by_transpose(x: Tensor) -> Tensor:
    return MOVES["transpose"](x)


def by_permute(x: Tensor) -> Tensor:
    return MOVES["permute"](x)


def by_swapaxes(x: Tensor) -> Tensor:
    return MOVES["swapdims"](x)


def by_movedim(x: Tensor) -> Tensor:
    return MOVES["moveaxis"](x)


def swap_last(key: Tensor) -> Tensor:
    return key.mT


swap_last_copy = compose(swap_last, methodcaller("clone", memory_format=torch.contiguous_format))
heads_to_front = partial(torch.movedim, source=-2, destination=0)
heads_to_back = compose(
    methodcaller("unbind", 0),
    partial(torch.stack, dim=-2),
)
