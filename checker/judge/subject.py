"""What is timed after a pass, whichever kind of kata it is: its calls at any length."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch

from ...kata.catalogue import Kata
from ..process.requests import Timed
from ..report.timings import Timings

__all__ = ["Posed", "Subject"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Posed:
    """The calls of one length.

    mine: for the submission's process, each with its recipe. settings, calls: what the model
    answer is made with, and each call's arguments by the name of what is called.
    """

    mine: list[Timed]
    settings: dict[str, Any]
    calls: list[dict[str, dict[str, Any]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """A submission that has passed.

    told: what the timings say of the calls, filled in. posed: draws the calls of a length.
    """

    kata: Kata
    told: Timings
    posed: Callable[[int, torch.Generator], Posed]
