"""What is claimed of a line, and what is hinted at: worked out of an exercise alone."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from ..errors import Refusal
from ..pages import grouped, page_names
from .exercise import Exercise
from .standing import line_handed_out

__all__ = ["Claim", "Hint", "Said", "hint_on", "next_hint", "said_of_a_line", "weighed"]

# An area, then a step, then a line.
_STEPS = ("area", "step", "line")
_CLAIM = re.compile(
    r"\s*(?:line\s+|第\s*)?(\d{1,6})(?![\d.])\s*行?[\s:,：，]*(.*?)[\s。.]*$",
    re.IGNORECASE | re.DOTALL,
)
# How mistakes are called, and nothing else that is said of a line.
_NAME = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)+", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """A line of the file as it is now that is said to be wrong, and perhaps as what.

    words: what was said in words of one's own, which nobody judges.
    """

    line: int
    mistake: str = ""
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a claim came to. verdict: right, wrong, other-name, again or again-wrong.

    first: the line as it was handed out, None for one that was written since. mended: whether the
    bug was mended already when it was claimed. words: what was said of it in words of one's own.
    """

    line: int
    mistake: str
    verdict: str
    first: int | None
    mended: bool = False
    words: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """One hint on one bug. step: area, step or line. over: there is none."""

    step: str
    number: int
    about: str = ""
    line: int = 0
    over: bool = False


def said_of_a_line(text: str, *, freely: bool = False) -> Said | None:
    """Return what a text says of a line; None where it speaks of none. Raise Refusal.

    freely: whether the line may be followed by any words. Where people also think aloud it is not.
    A name that no mistake has is refused.
    """
    found = _CLAIM.match(text)
    if found is None:
        return None
    line, told = int(found[1]), found[2]
    if told.lower() in page_names():
        return Said(line=line, mistake=told.lower())
    if not _NAME.fullmatch(told):
        return Said(line=line, words=told) if freely or not told else None
    raise Refusal("debug-no-such", name=told, commands=(f"debug --say {line}", "explain"))


def weighed(
    said: Said,
    exercise: Exercise,
    text: str,
    found: Collection[int],
    turned_down: Collection[tuple[int, str]] = (),
) -> Claim:
    """Hold a claim against an exercise. text: the file now. found: lines claimed rightly before.

    turned_down: lines and names that were claimed wrongly before; a claim that is repeated says
    nothing new, and is no other guess.
    """
    first = line_handed_out(exercise, text, said.line)
    hit = next((one for one in exercise.planted if one.line == first), None)
    if hit is None:
        before = first is not None and any(first == line for line, _ in turned_down)
        verdict = "again-wrong" if before else "wrong"
    elif first in found:
        verdict = "again"
    elif said.mistake in {"", hit.mistake}:
        verdict = "right"
    else:
        verdict = "again-wrong" if (first, said.mistake) in turned_down else "other-name"
    mended = hit is not None and text.splitlines()[said.line - 1].rstrip() != hit.wrong.rstrip()
    return Claim(
        line=said.line, mistake=said.mistake, verdict=verdict, first=first, mended=mended,
        words=said.words,
    )  # fmt: skip


def next_hint(
    exercise: Exercise, found: Collection[int], given: Sequence[int]
) -> tuple[int, Hint] | None:
    """Return the bug that the next hint is on, by its place, and the hint; None where all were.

    found: lines that were claimed rightly. given: the places of the bugs that hints were on.
    """
    for place, one in enumerate(exercise.planted):
        # That it is one of this kata's own mistakes says nothing of where to look.
        steps = _STEPS[_area(one.mistake) == exercise.order.kata.id :]
        step = given.count(place)
        if one.line not in found and step < len(steps):
            return place, hint_on(exercise, place, steps[step])
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
