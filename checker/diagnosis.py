"""What a search for mistakes found."""

from __future__ import annotations

from dataclasses import dataclass, field

from ..reference.mistakes import Mistake
from .beneath import Explained
from .pointing import Departure
from .truth import Roles

__all__ = ["Diagnosed", "Named"]


@dataclass(slots=True, kw_only=True)
class Named:
    """A mistake that reproduces the numbers: its id, line and the right line of code."""

    mistake: Mistake
    line: int | None = None
    reference: str | None = None


@dataclass(slots=True, kw_only=True)
class Diagnosed:
    """What was named, and the edited reference that it comes to, where there is one.

    swapped: the roles, where query and key do each other's work beside what was named.
    departure: where nothing reproduces the numbers, the first step that is not right.
    """

    named: list[Named] = field(default_factory=list)
    explained: Explained | None = None
    swapped: Roles | None = None
    departure: Departure | None = None
