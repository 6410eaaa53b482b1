"""How tensors that are handed over lie in memory."""

from __future__ import annotations

from torch import Tensor

__all__ = ["strided"]


def strided(tensor: Tensor) -> Tensor:
    """The same values on memory that is not contiguous, as after someone's transpose."""
    last = tensor.dim() - 1
    return tensor.transpose(last - 1, last).contiguous().transpose(last - 1, last)
