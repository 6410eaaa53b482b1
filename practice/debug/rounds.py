"""What a person does with an exercise: have one handed out, claim lines, ask for hints, end it."""

from __future__ import annotations

import ast
import json
import random
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path

from ...kata.catalogue import Kata
from ..errors import Refusal
from ..history import Event, History
from ..pages import grouped, page_names
from ..recognise import kata_called, named
from ..stubs import Started, already_there, hand_out
from ..targets import read_text
from .bugs import with_bugs
from .exercise import Exercise, exercise_in, most
from .handing import Proved
from .record import Held, held, latest_file
from .standing import line_handed_out

__all__ = [
    "Claim", "Hint", "answered", "claim", "free", "hint", "kata_for", "lay_out", "name_of",
    "opened", "possible",
]  # fmt: skip

# An area, then a step, then a line.
_STEPS = 3
_CLAIM = re.compile(
    r"\s*(?:line\s+|第\s*)?(\d+)\s*(?:行)?[\s:,]*([a-z][a-z-]+)?\s*$", re.IGNORECASE
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What was said of a line. verdict: right, wrong, other-name or again."""

    line: int
    mistake: str
    verdict: str
    right: int
    wrong: int
    bugs: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """One hint on one bug. step: area, step or line. over: there is none."""

    step: str
    number: int
    about: str = ""
    line: int = 0
    over: bool = False


def kata_for(name: str | None, history: History) -> Kata:
    """Return the kata to look for bugs in: the one named, or one that was tried. Raise Refusal."""
    some = with_bugs()
    if name is not None:
        asked = kata_called(name)
        if asked not in some:
            raise Refusal("debug-none", kata=asked.id, commands=("debug",))
        return asked
    tried = [kata for kata in some if kata.id in history.standing()]
    return random.SystemRandom().choice(tried or list(some[:1]))


def possible(kata: Kata, count: int, level: str) -> None:
    """Raise Refusal, which says how many there can be, where there are not so many bugs."""
    there = most(kata, level)
    if count > there:
        how = f" --level {level}" if level else ""
        commands = (f"debug {kata.id} --bugs {there}{how}",) if there else (f"debug {kata.id}",)
        key = "debug-too-many" if there else "debug-no-level"
        raise Refusal(key, kata=kata.id, count=count, most=there, level=level, commands=commands)


def name_of(kata: Kata) -> str:
    """Return the name of a kata's exercise."""
    return f"debug_{kata.id.replace('-', '_')}.py"


def free(kata: Kata, folder: Path, *, force: bool) -> Path:
    """Return where an exercise goes. Raise Refusal where one is begun there already."""
    file = folder / name_of(kata)
    if file.exists() and not force:
        raise already_there(file, _instead(kata, folder), "debug-begun")
    return file


def lay_out(proved: Proved, file: Path, history: History, *, force: bool) -> Started:
    """Write an exercise and note that it was begun. Raise Refusal where it cannot be written."""
    exercise = proved.exercise
    kata = exercise.order.kata
    started = hand_out(
        file, exercise.text, force=force, commands=_instead(kata, file.parent), key="debug-begun"
    )
    _note(history, "debug", exercise, order=exercise.order.said, file=str(file.absolute()))
    return started


def opened(name: str | None, history: History) -> tuple[Path, Exercise]:
    """Return the exercise that is meant: the file's, or the one in this folder. Raise Refusal."""
    kata = named(name) if name is not None else None
    if name is not None and kata is None:
        file = Path(name)
        read_text(file)
        return file, _exercise(file)
    for file in _here():
        exercise = exercise_in(file)
        if exercise is not None and kata in {None, exercise.order.kata}:
            return file, exercise
    last = latest_file(history.story())
    if last is not None and kata is None:
        return last, _exercise(last)
    raise Refusal("debug-none-begun", commands=(f"debug {kata.id}" if kata else "debug",))


def claim(said: str, file: Path, exercise: Exercise, history: History) -> Claim:
    """Take a claim: a line, and perhaps the mistake's name. Raise Refusal where it is none."""
    found = _CLAIM.match(said)
    if found is None:
        raise Refusal("debug-say-what", said=said, commands=('debug --say "31 scale-missing"',))
    line, mistake = int(found[1]), (found[2] or "").lower()
    if mistake and mistake not in page_names():
        near = ", ".join(f"`{one}`" for one in get_close_matches(mistake, page_names(), 3, 0.5))
        raise Refusal("no-page-near" if near else "no-page", name=mistake, nearest=near,
                      commands=("explain",))  # fmt: skip
    first = line_handed_out(exercise, read_text(file), line)
    hit = next((one for one in exercise.planted if one.line == first), None)
    before = _held(exercise, history)
    if hit is not None and first in before.right:
        verdict = "again"
    elif hit is None:
        verdict = "wrong"
    else:
        verdict = "right" if mistake in {"", hit.mistake} else "other-name"
    if verdict != "again":
        right = verdict == "right"
        _note(history, "debug-said", exercise, line=first or 0, mistake=mistake, right=right)
        if right and first is not None:
            before.right.append(first)
        before.wrong += not right
    return Claim(
        line=line, mistake=mistake, verdict=verdict, right=len(set(before.right)),
        wrong=before.wrong, bugs=len(exercise.planted),
    )  # fmt: skip


def hint(exercise: Exercise, history: History) -> Hint:
    """Give the next hint, on the first bug that was not claimed: its area, its step, its line."""
    before = _held(exercise, history)
    place, step = divmod(before.hints, _STEPS)
    if place >= len(exercise.planted):
        return Hint(step="over", number=0, over=True)
    _note(history, "debug-hint", exercise, number=before.hints + 1)
    one = exercise.planted[place]
    if step == 0:
        return Hint(step="area", number=place + 1, about=_area(one.mistake))
    if step == 1:
        return Hint(step="step", number=place + 1, about=_function(exercise, one.line))
    return Hint(step="line", number=place + 1, line=one.line)


def answered(file: Path, exercise: Exercise, history: History) -> tuple[str, ...]:
    """End an exercise; return the mistakes that were neither claimed nor touched."""
    text = read_text(file)
    before = _held(exercise, history)
    lines = text.splitlines()
    missed = tuple(
        one.mistake
        for one in exercise.planted
        if one.line not in before.right and one.wrong in lines
    )
    if before.ended is None:
        _note(history, "debug-answer", exercise, missed=list(missed))
    return missed


def _exercise(file: Path) -> Exercise:
    exercise = exercise_in(file)
    if exercise is None:
        raise Refusal("debug-no-exercise", file=str(file), commands=("debug",))
    return exercise


def _here() -> Sequence[Path]:
    try:
        files = [file for file in Path().glob("*.py") if file.is_file()]
        return sorted(files, key=lambda file: file.stat().st_mtime, reverse=True)
    except OSError:
        return ()


def _instead(kata: Kata, folder: Path) -> tuple[str, ...]:
    there = "" if folder == Path() else " --out {folder}"
    return ("check {file}", f"debug {kata.id}{there} --force")


def _held(exercise: Exercise, history: History) -> Held:
    """What was done with an exercise so far."""
    key = _key(exercise)
    for one in reversed(held(history.story())):
        if one.key == key:
            return one
    kata = exercise.order.kata.id
    return Held(kata=kata, key=key, order=exercise.order.said, file="", began=0.0, last=0.0)


def _note(history: History, kind: str, exercise: Exercise, **values: object) -> None:
    detail = json.dumps({"key": _key(exercise), **values})
    history.note(Event(kata=exercise.order.kata.id, kind=kind, detail=detail))


def _key(exercise: Exercise) -> str:
    return exercise.lines[0].split()[-1]


def _area(mistake: str) -> str:
    """What a mistake is about: a subject's key, or the kata that alone has it."""
    for group in grouped():
        if mistake in group.names:
            return group.about or (group.kata.id if group.kata else "")
    return "running"


def _function(exercise: Exercise, line: int) -> str:
    """The function and class in which a line stands."""
    right = exercise.mended(*range(len(exercise.planted)))
    names: list[tuple[int, str]] = []
    for node in ast.walk(ast.parse(right)):
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            end = node.end_lineno or node.lineno
            if node.lineno <= line <= end:
                names.append((node.lineno, node.name))
    return ".".join(name for _, name in sorted(names))
