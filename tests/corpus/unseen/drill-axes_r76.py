from functools import partial

import torch
from torch import Tensor

by_transpose = partial(torch.transpose, dim0=-3, dim1=-2)
by_permute = partial(torch.permute, dims=(0, 2, 1, 3))
by_swapaxes = partial(torch.swapaxes, axis0=1, axis1=2)
by_movedim = partial(torch.movedim, source=(1, 2), destination=(2, 1))


def swap_last(key: Tensor) -> Tensor:
    """the same storage, read with the last two strides exchanged"""
    *front, length, head_dim = key.shape
    *steps, by_position, by_feature = key.stride()
    return key.as_strided((*front, head_dim, length), (*steps, by_feature, by_position))


def swap_last_copy(key: Tensor) -> Tensor:
    # stack makes new memory: features come one after another
    return torch.stack(key.unbind(dim=-1), dim=-2)


def heads_to_front(x: Tensor) -> Tensor:
    for left in (1, 0):  # bubble the heads to the left: b l h d -> b h l d -> h b l d
        x = x.transpose(left, left + 1)
    return x


def heads_to_back(x: Tensor) -> Tensor:
    return torch.cat([head.unsqueeze(2) for head in x], dim=2).contiguous()
