"""What a person does with an exercise: have one handed out, claim lines, ask for hints, end it."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ...kata.catalogue import Kata, known
from ..errors import Refusal
from ..history import Event, History
from ..recognise import ENDINGS, kata_called
from ..stubs import Started, already_there, hand_out
from ..targets import near, read_text
from .bugs import with_bugs
from .claims import Claim, Hint, next_hint, said_of_a_line, weighed
from .exercise import Exercise, exercise_in, most
from .handing import Proved
from .record import Held, held, latest_file

__all__ = [
    "Counted", "answered", "claim", "free", "hint", "kata_for", "lay_out", "name_of",
    "opened", "possible",
]  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """A claim, and how many were right and wrong so far, of how many bugs."""

    claim: Claim
    right: int
    wrong: int
    bugs: int


def kata_for(name: str | None, history: History) -> Kata:
    """Return the kata to look for bugs in: the one named, or one that was tried. Raise Refusal."""
    some = with_bugs()
    if name is not None:
        if known(name) is None and name.endswith(ENDINGS):
            raise Refusal("debug-of-file", file=name, commands=("debug mha", "debug {file} --hint"))
        asked = kata_called(name)
        if asked not in some:
            raise Refusal("debug-none", kata=asked.id, commands=("debug",))
        if asked.lacking:
            raise Refusal("kata-lacking", name=asked.lacking)
        return asked
    here = [kata for kata in some if not kata.lacking]
    tried = [kata for kata in here if kata.id in history.standing()]
    return random.SystemRandom().choice(tried or here[:1])


def possible(kata: Kata, count: int, level: str) -> None:
    """Raise Refusal, which says how many there can be, where there are not so many bugs."""
    there = most(kata, level)
    if not 0 < count <= there:
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
    kata = known(name) if name is not None else None
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
        return near(last), _exercise(last)
    raise Refusal("debug-none-begun", commands=(f"debug {kata.id}" if kata else "debug",))


def claim(said: str, file: Path, exercise: Exercise, history: History) -> Counted:
    """Take a claim: a line, and perhaps what is wrong there. Raise Refusal where it is none.

    Nor is any taken once the exercise has ended.
    """
    spoken = said_of_a_line(said, freely=True)
    if spoken is None:
        raise Refusal("debug-say-what", said=said, commands=("debug --say 31",))
    text = read_text(file)
    count = len(text.splitlines())
    if not 0 < spoken.line <= count:
        raise Refusal("debug-no-line", line=spoken.line, count=count, commands=())
    before = _going_on(exercise, history)
    found = weighed(spoken, exercise, text, before.right, before.turned_down)
    if not found.verdict.startswith("again"):
        right = found.verdict == "right"
        _note(
            history, "debug-said", exercise, line=found.first or 0, mistake=found.mistake,
            right=right, words=found.words,
        )  # fmt: skip
        if right and found.first is not None:
            before.right.append(found.first)
        before.wrong += not right
    return Counted(
        claim=found, right=len(set(before.right)), wrong=before.wrong, bugs=len(exercise.planted)
    )


def hint(exercise: Exercise, history: History) -> Hint:
    """Give the next hint, on the first bug that was not claimed: its area, its step, its line.

    Raise Refusal where the exercise has ended.
    """
    before = _going_on(exercise, history)
    following = next_hint(exercise, before.right, before.hinted)
    if following is None:
        return Hint(step="over", number=0, over=True)
    place, found = following
    _note(history, "debug-hint", exercise, number=len(before.hinted) + 1, bug=place)
    return found


def answered(file: Path, exercise: Exercise, history: History) -> Held:
    """End an exercise; return it, with the mistakes that were neither claimed nor touched."""
    text = read_text(file)
    before = _held(exercise, history)
    lines = text.splitlines()
    before.missed = tuple(
        one.mistake
        for one in exercise.planted
        if one.line not in before.right and one.wrong in lines
    )
    if before.ended is None:
        _note(history, "debug-answer", exercise, missed=list(before.missed))
    return before


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


def _going_on(exercise: Exercise, history: History) -> Held:
    """What was done so far. Raise Refusal where the exercise has ended, and nothing counts now."""
    before = _held(exercise, history)
    if before.ended is not None:
        key = "debug-solved" if before.solved else "debug-ended"
        raise Refusal(key, commands=(f"debug {exercise.order.kata.id} --force",))
    return before


def _note(history: History, kind: str, exercise: Exercise, **values: object) -> None:
    detail = json.dumps({"key": _key(exercise), **values})
    history.note(Event(kata=exercise.order.kata.id, kind=kind, detail=detail))


def _key(exercise: Exercise) -> str:
    return exercise.lines[0].split()[-1]
