"""Axis gymnastics, worked out on the whiteboard for my Tuesday class.

Rule of thumb that I give the pupils: say the axes aloud *before* the call,
then say them aloud *after* the call.
"""
import torch
from torch import Tensor

# names for the places of a (batch, length, heads, head_dim) tensor
BATCH, LENGTH, HEADS, HEAD_DIM = range(4)


def by_transpose(x: Tensor) -> Tensor:
    return torch.transpose(input=x, dim0=HEADS, dim1=LENGTH)


def by_permute(x: Tensor) -> Tensor:
    new_order = (BATCH, HEADS, LENGTH, HEAD_DIM)
    return torch.permute(x, dims=new_order)


def by_swapaxes(x: Tensor) -> Tensor:
    return torch.swapdims(x, LENGTH, HEADS)


def by_movedim(x: Tensor) -> Tensor:
    # "the length goes where the heads were, and the other way round"
    return torch.moveaxis(x, source=(LENGTH, HEADS), destination=(HEADS, LENGTH))


def swap_last(key: Tensor) -> Tensor:
    return key.mT


def swap_last_copy(key: Tensor) -> Tensor:
    # an empty sheet of paper of the right shape, then copy row by row
    batch, heads, length, head_dim = key.shape
    sheet = torch.empty((batch, heads, head_dim, length), dtype=key.dtype, device=key.device)
    return sheet.copy_(key.mT)


def heads_to_front(x: Tensor) -> Tensor:
    # two swaps of neighbours:  b l h d  ->  b h l d  ->  h b l d
    step = x.transpose(1, 2)
    return step.transpose(0, 1)


def heads_to_back(x: Tensor) -> Tensor:
    # lay the heads next to each other again, behind the length
    one_by_one = x.unbind(0)
    return torch.stack(one_by_one, dim=2)
