"""Calls on one object, one after another: what a call gives back is handed on to a later one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...kata.functions import Function, choices
from ..process.requests import Kept
from .case import Case
from .given import Given

__all__ = ["KINDS", "LONG", "sequence"]

# A buffer that grew may have room to spare, which whoever continues it would write.
_GROWN = (("", "a", 3), ("a", "a", 2))
# Of each call what it is handed, under which name what it gives back is kept, and its length.
_CALLS: dict[str, tuple[tuple[str, str, int], ...]] = {
    "cached-steps": (("", "a", 4), ("a", "a", 1), ("a", "a", 1), ("a", "a", 1)),
    "cached-chunks": (("", "a", 3), ("a", "a", 2), ("a", "a", 4)),
    "cached-single": (("", "a", 1), ("a", "a", 1), ("a", "a", 1)),
    "cached-turns": (("", "a", 3), ("", "b", 2), ("a", "a", 1), ("b", "b", 1), ("a", "a", 2)),
    "cached-fork": (*_GROWN, ("a", "b", 1), ("a", "c", 1), ("b", "b", 1), ("c", "c", 2)),
}
KINDS = tuple(_CALLS)
# What is cached is as long as people's prompts are, before a few calls more; or a prompt comes
# behind as many positions as fill pages or tiles.
_LONG_CALLS: dict[str, tuple[tuple[str, str, int], ...]] = {
    "cached-long": (("", "a", 0), ("a", "a", 1), ("a", "a", 2)),
    "cached-later": (("", "a", 16), ("a", "a", 0), ("a", "a", 1)),
    "cached-across": (("", "a", 250), ("a", "a", 9), ("a", "a", 1)),
}
LONG = tuple(_LONG_CALLS)


def sequence(
    function: Function, row: dict[str, int], kind: str, drawn: Callable[[Case], Given]
) -> list[tuple[Case, Given]]:
    """Draw the calls of one kind, each with those before it. function: one with a state.

    One of LONG's is as long as the row says.
    """
    state = function.state
    assert state is not None
    found: list[tuple[Case, Given]] = []
    before: tuple[Given, ...] = ()
    reached = {"": 0}
    for carried, kept, length in _LONG_CALLS.get(kind) or _CALLS[kind]:
        length = length or row[state.along]  # noqa: PLW2901 - the row's own
        sizes = {**row, state.along: length}
        if carried and state.once:
            # Whoever looks at what only the first call reads sees another length.
            sizes[state.once] += (len(before) + 1) % 2
        case = Case(
            check="lengths" if kind in LONG else "values", sizes=sizes,
            schedule=kind, chosen=choices(function)[0], after=reached[carried],
            large=kind in LONG,
        )  # fmt: skip
        given = drawn(case)
        handed = Kept(name=carried) if carried else None
        given = replace(
            given, plain={**given.plain, state.name: handed}, carried=carried, kept=kept,
            before=before,
        )  # fmt: skip
        reached[kept] = reached[carried] + length
        before = (*before, replace(given, before=()))
        found.append((case, given))
    return found
