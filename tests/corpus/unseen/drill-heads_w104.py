from __future__ import annotations

from torch import Tensor


class HeadLayoutConverter:
    """Converts between the fused and the per-head layout of activations."""

    BATCH_AXIS = 0
    LENGTH_AXIS = 1
    HEAD_AXIS = 2
    FEATURE_AXIS = 3

    def __init__(self, numberOfHeads: int) -> None:
        self.numberOfHeads = numberOfHeads

    def computeHeadWidth(self, hiddenWidth: int) -> int:
        return hiddenWidth // self.numberOfHeads

    def splitUsingView(self, fused: Tensor) -> Tensor:
        batch, length, hidden = fused.shape
        cut = fused.view(batch, length, self.numberOfHeads, self.computeHeadWidth(hidden))
        return cut.transpose(self.LENGTH_AXIS, self.HEAD_AXIS)

    def splitUsingPermute(self, fused: Tensor) -> Tensor:
        batch, length, hidden = fused.shape
        cut = fused.reshape(batch, length, self.numberOfHeads, self.computeHeadWidth(hidden))
        moved = cut.permute(self.BATCH_AXIS, self.HEAD_AXIS, self.LENGTH_AXIS, self.FEATURE_AXIS)
        return moved.contiguous()

    def splitUsingUnflatten(self, fused: Tensor) -> Tensor:
        width = self.computeHeadWidth(fused.shape[-1])
        cut = fused.unflatten(-1, (self.numberOfHeads, width))
        return cut.transpose(self.LENGTH_AXIS, self.HEAD_AXIS)


def split_by_view(x: Tensor, num_heads: int) -> Tensor:
    return HeadLayoutConverter(num_heads).splitUsingView(x)


def split_by_permute(x: Tensor, num_heads: int) -> Tensor:
    return HeadLayoutConverter(num_heads).splitUsingPermute(x)


def split_by_unflatten(x: Tensor, num_heads: int) -> Tensor:
    return HeadLayoutConverter(num_heads).splitUsingUnflatten(x)


def merge_by_view(heads: Tensor) -> Tensor:
    batch, count, length, width = heads.shape
    return heads.transpose(1, 2).contiguous().view(batch, length, count * width)


def merge_by_reshape(heads: Tensor) -> Tensor:
    batch, count, length, width = heads.shape
    return heads.transpose(1, 2).reshape(batch, length, count * width)


def merge_by_flatten(heads: Tensor) -> Tensor:
    return heads.transpose(1, 2).flatten(2, 3)
