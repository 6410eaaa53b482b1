from __future__ import annotations

from torch import Tensor

# (batch, length, heads, head_dim) -> (heads, batch, length, head_dim)
FRONT = (2, 0, 1, 3)


def by_transpose(x: Tensor) -> Tensor:
    return x.transpose(-3, -2)


def by_permute(x: Tensor) -> Tensor:
    return x.permute(0, 2, 1, 3)


def by_swapaxes(x: Tensor) -> Tensor:
    return x.swapdims(1, 2)


def by_movedim(x: Tensor) -> Tensor:
    return x.moveaxis((1, 2), (2, 1))


def swap_last(key: Tensor) -> Tensor:
    return key.permute(0, 1, 3, 2)


def swap_last_copy(key: Tensor) -> Tensor:
    return swap_last(key).contiguous()


def heads_to_front(x: Tensor) -> Tensor:
    return x.permute(FRONT)


def heads_to_back(x: Tensor) -> Tensor:
    """The way back."""
    copy = x.permute(FRONT)
    return copy.contiguous()
