"""Where a person stands, and the one thing to do next."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from ..kata.catalogue import Kata, katas
from . import clock
from .record import Recorder
from .schedule import due, following, standings
from .sittings import Sitting, sittings
from .stubs import Started, start
from .targets import known_here, near
from .workspace import Workspace

__all__ = ["Place", "Step", "fresh_stub", "take", "where"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What to do next. why: unfinished, due or new.

    file: what is gone on with, or where the stub will be. there: whether that file is there,
    and is kept as a backup where the stub is a fresh one. again: whether what is gone on with
    was passed before.
    """

    kata: Kata
    why: str
    file: Path
    there: bool = False
    again: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """How far one is. tried: whether anything was ever begun. due: what to write today."""

    passed: int
    count: int
    tried: bool
    due: tuple[str, ...]
    step: Step | None


def where(recorder: Recorder) -> Place:
    """Return where a person stands, in this folder."""
    story = recorder.history.story()
    told = sittings(story)
    stands = standings(told, recorder.history.standing())
    found = due(told)
    return Place(
        passed=sum(stand.state == "passed" for stand in stands.values()),
        count=len(katas()),
        tried=bool(story),
        due=tuple(one.kata.id for one in found if one.why != "unfinished"),
        step=_step(told, recorder.workspace),
    )


def take(step: Step, recorder: Recorder) -> Started:
    """Do the step: go on with its file, or hand out its stub. Raise Refusal where that fails."""
    if step.why == "unfinished":
        return Started(step.file, None)
    return fresh_stub(step.kata, step.file, recorder)


def fresh_stub(kata: Kata, file: Path, recorder: Recorder) -> Started:
    """Write a kata's stub under a name; what is there is kept. Raise Refusal where that fails."""
    started = start(kata, file.parent, force=True, language=recorder.language, name=file.name)
    recorder.started(kata.id, started.file)
    return started


def _step(told: Sequence[Sitting], workspace: Workspace) -> Step | None:
    """What was begun within a day, then what is due, then what was left, then a new one."""
    begun = _begun(told, workspace)
    fresh = [step for step, ended in begun if clock.now() - ended < clock.DAY]
    asked = [
        _from_a_stub(one.kata, "due", workspace) for one in due(told) if one.why != "unfinished"
    ]
    new = following("", told)
    last = [] if new is None else [_from_a_stub(new, "new", workspace)]
    return next(iter([*fresh, *asked, *(step for step, _ in begun), *last]), None)


def _begun(told: Sequence[Sitting], workspace: Workspace) -> list[tuple[Step, float]]:
    """What was begun and not passed since, where its file is still there: the latest first."""
    latest = {sitting.kata: sitting for sitting in told}
    known = {kata.id: kata for kata in katas()}
    passed = {sitting.kata for sitting in told if sitting.passed}
    found: list[tuple[Step, float]] = []
    for name, sitting in latest.items():
        if sitting.passed or name not in known:
            continue
        file = known_here(known[name], workspace) or workspace.file(name)
        if file is not None:
            again = name in passed
            step = Step(
                kata=known[name], why="unfinished", file=near(file), there=True, again=again
            )
            found.append((step, sitting.ended))
    return sorted(found, key=lambda pair: pair[1], reverse=True)


def _from_a_stub(kata: Kata, why: str, workspace: Workspace) -> Step:
    file = known_here(kata, workspace)
    if file is None or file.suffix != ".py":
        # A notebook stays what it is.
        return Step(kata=kata, why=why, file=Path(f"{kata.id}.py"))
    # What is there of a kata that is new was begun by hand, and goes on.
    why = "unfinished" if why == "new" else why
    return Step(kata=kata, why=why, file=near(file), there=True)
