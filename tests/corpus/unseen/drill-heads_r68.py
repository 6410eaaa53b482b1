from __future__ import annotations

from torch import Tensor


class Heads:
    """One size for all six."""

    def __init__(self, x: Tensor, n: int):
        self.x, self.n = x, n
        self.batch, self.length, self.width = x.size()

    @property
    def cut(self):
        return self.batch, self.length, self.n, self.width // self.n


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return x.view(Heads(x, num_heads).cut).swapdims(1, 2)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    b, t, h, d = Heads(x, num_heads).cut
    s = x.stride()
    return x.as_strided((b, t, h, d), (s[0], s[1], d * s[2], s[2]), x.storage_offset()).permute(0, 2, 1, 3)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    *_, h, d = Heads(x, num_heads).cut
    return x.unflatten(dim=-1, sizes=(h, d)).transpose(-3, -2)


def merge_by_view(heads: Tensor) -> Tensor:
    b, h, t, d = heads.shape
    out = heads.new_empty(b, t, h, d)
    out = out.copy_(heads.transpose(1, 2))
    return out.view(b, t, h * d)


def merge_by_reshape(heads: Tensor) -> Tensor:
    moved = heads.moveaxis(1, -2)
    return moved.reshape(*moved.shape[:-2], -1)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.permute(0, 2, 1, 3).flatten(start_dim=-2)
