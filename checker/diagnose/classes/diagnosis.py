"""What a search for mistakes found."""

from __future__ import annotations

from dataclasses import dataclass, field

from ....reference.mistakes import Mistake
from ...judge.classes.truth import Roles
from .beneath import Explained

__all__ = ["Diagnosed", "Named"]


@dataclass(slots=True, kw_only=True)
class Named:
    """A mistake that reproduces the numbers: its id, its line, and a line of the reference.

    reference: that line as it is right. matches: as the mistake writes it.
    """

    mistake: Mistake
    line: int | None = None
    reference: str | None = None
    matches: str | None = None


@dataclass(slots=True, kw_only=True)
class Diagnosed:
    """What was named, and the edited reference that it comes to, where there is one.

    swapped: the roles, where query and key do each other's work beside what was named.
    """

    named: list[Named] = field(default_factory=list)
    explained: Explained | None = None
    swapped: Roles | None = None
