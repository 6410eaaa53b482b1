from __future__ import annotations

import torch
from torch import Tensor

# x[b, l, :] = [head 0 | head 1 | ...]


class Heads:
    """Static methods only; the module functions below are thin."""

    @staticmethod
    def view(x: Tensor, n: int) -> Tensor:
        return x.view(x.shape[:-1] + (n, x.shape[-1] // n)).transpose(-2, -3)

    @staticmethod
    def permute(x: Tensor, n: int) -> Tensor:
        cut = x.view(x.shape[:-1] + (n, x.shape[-1] // n))
        return torch.permute(cut, (0, 2, 1, 3))

    @staticmethod
    def unflatten(x: Tensor, n: int) -> Tensor:
        cut = torch.unflatten(x, -1, (-1, n))
        return cut.movedim(-1, 1)


split_by_view = Heads.view
split_by_permute = Heads.permute
split_by_unflatten = Heads.unflatten


def merge_by_view(heads: Tensor) -> Tensor:
    h = heads.movedim(1, 2).contiguous()
    return h.view(h.shape[0], h.shape[1], h.shape[2] * h.shape[3])


def merge_by_reshape(heads: Tensor) -> Tensor:
    h = heads.movedim(1, 2)
    return h.reshape(*h.shape[:2], -1)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.movedim(1, 2).flatten(-2)
