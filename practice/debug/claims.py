"""What is claimed of a line, and what is hinted at: worked out of an exercise alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from ..errors import Refusal
from ..pages import grouped, page_names
from .exercise import Exercise
from .standing import line_handed_out

__all__ = ["Claim", "Hint", "Said", "hint_on", "next_hint", "said_of_a_line", "weighed"]

# An area, then a step, then a line.
_STEPS = ("area", "step", "line")
_CLAIM = re.compile(
    r"\s*(?:line\s+|第\s*)?(\d{1,6})\s*(?:行)?[\s:,：，]*([a-z][a-z0-9-]+)?\s*[。.]?\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A line of the file as it is now that is said to be wrong, and perhaps as what."""

    line: int
    mistake: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a claim came to. verdict: right, wrong, other-name or again.

    first: the line as it was handed out, None for one that was written since. mended: whether the
    bug was mended already when it was claimed.
    """

    line: int
    mistake: str
    verdict: str
    first: int | None
    mended: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """One hint on one bug. step: area, step or line. over: there is none."""

    step: str
    number: int
    about: str = ""
    line: int = 0
    over: bool = False


def said_of_a_line(text: str) -> Said | None:
    """Return what a text says of a line; None where it speaks of none. Raise Refusal.

    A name that no mistake has is refused with the nearest ones.
    """
    found = _CLAIM.match(text)
    if found is None:
        return None
    mistake = (found[2] or "").lower()
    if mistake and mistake not in page_names():
        near = ", ".join(f"`{one}`" for one in get_close_matches(mistake, page_names(), 3, 0.5))
        raise Refusal("no-page-near" if near else "no-page", name=mistake, nearest=near,
                      commands=("explain",))  # fmt: skip
    return Said(line=int(found[1]), mistake=mistake)


def weighed(said: Said, exercise: Exercise, text: str, found: Collection[int]) -> Claim:
    """Hold a claim against an exercise. text: the file now. found: lines claimed rightly before."""
    first = line_handed_out(exercise, text, said.line)
    hit = next((one for one in exercise.planted if one.line == first), None)
    if hit is None:
        verdict = "wrong"
    elif first in found:
        verdict = "again"
    else:
        verdict = "right" if said.mistake in {"", hit.mistake} else "other-name"
    mended = hit is not None and text.splitlines()[said.line - 1].rstrip() != hit.wrong.rstrip()
    return Claim(line=said.line, mistake=said.mistake, verdict=verdict, first=first, mended=mended)


def next_hint(
    exercise: Exercise, found: Collection[int], given: Sequence[int]
) -> tuple[int, Hint] | None:
    """Return the bug that the next hint is on, by its place, and the hint; None where all were.

    found: lines that were claimed rightly. given: the places of the bugs that hints were on.
    """
    for place, one in enumerate(exercise.planted):
        step = given.count(place)
        if one.line not in found and step < len(_STEPS):
            return place, hint_on(exercise, place, _STEPS[step])
    return None


def hint_on(exercise: Exercise, place: int, step: str) -> Hint:
    """Return a hint on a bug: its area, its function, or its line."""
    one = exercise.planted[place]
    if step == "area":
        return Hint(step=step, number=place + 1, about=_area(one.mistake))
    if step == "step":
        return Hint(step=step, number=place + 1, about=_function(exercise, one.line))
    return Hint(step=step, number=place + 1, line=one.line)


def _area(mistake: str) -> str:
    """What a mistake is about: a subject's key, or the kata that alone has it."""
    for group in grouped():
        if mistake in group.names:
            return group.about or (group.kata.id if group.kata else "")
    return "running"


def _function(exercise: Exercise, line: int) -> str:
    """The function and class in which a line stands; empty where it stands in none."""
    right = exercise.mended(*range(len(exercise.planted)))
    names: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(right)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            end = node.end_lineno or node.lineno
            if node.lineno <= line <= end:
                names.append((node.lineno, node.name))
    return ".".join(name for _, name in sorted(names))
