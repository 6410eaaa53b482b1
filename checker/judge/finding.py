"""What went wrong in one trial, whatever kind of trial it was."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar

from torch import Tensor

from ..process.answers import Raised
from .compare import Gap

__all__ = ["Finding"]

_Trial = TypeVar("_Trial")


# No slots: a frozen class that has them cannot be generic in Python 3.11.
@dataclass(frozen=True, kw_only=True)
class Finding(Generic[_Trial]):
    """What went wrong in a trial.

    kind: raised, missing, none, count, uncarried, shape, dtype, values, gradient or detached.
    name: the argument, weight or result that it is about. words: what there is in place of a
    tensor, of a number of results or of a dtype.
    """

    kind: str
    trial: _Trial
    name: str = ""
    fault: Raised | None = None
    gap: Gap | None = None
    actual: Tensor | None = None
    expected: Tensor | None = None
    words: str = ""
