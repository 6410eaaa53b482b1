from __future__ import annotations

import torch
from torch import Tensor

SPECS = {
    "transpose": (torch.transpose, (1, 2)),
    "permute": (torch.permute, ((0, 2, 1, 3),)),
    "swapaxes": (torch.swapaxes, (1, 2)),
    "movedim": (torch.movedim, (1, 2)),
}

MOVES = {}
for name, (op, where) in SPECS.items():
    MOVES[name] = lambda x: op(x, *where)


def by_transpose(x: Tensor) -> Tensor:
    return MOVES["transpose"](x)


def by_permute(x: Tensor) -> Tensor:
    return MOVES["permute"](x)


def by_swapaxes(x: Tensor) -> Tensor:
    return MOVES["swapaxes"](x)


def by_movedim(x: Tensor) -> Tensor:
    return MOVES["movedim"](x)


swap_last = lambda key: key.transpose(-1, -2)
swap_last_copy = lambda key: swap_last(key).contiguous()
heads_to_front = lambda x: x.permute(2, 0, 1, 3)
heads_to_back = lambda x: x.permute(1, 2, 0, 3).contiguous()
