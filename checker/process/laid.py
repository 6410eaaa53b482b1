"""How tensors that are handed over lie in memory."""

from __future__ import annotations

from typing import Literal

from torch import Tensor

__all__ = ["Lies", "strided"]

# In order; as after someone's transpose; or as a slice of something wider, its rows apart.
Lies = Literal["", "turned", "apart"]


def strided(tensor: Tensor, lies: str) -> Tensor:
    """The same values on memory that is not contiguous."""
    last = tensor.dim() - 1
    if lies == "apart":
        wide = tensor.new_zeros((*tensor.shape[:-1], tensor.shape[-1] + 1))
        wide[..., :-1] = tensor
        return wide[..., :-1]
    return tensor.transpose(last - 1, last).contiguous().transpose(last - 1, last)
