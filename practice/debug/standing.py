"""How an exercise stands: what is mended, what is newly broken, what was changed and was right."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from pathlib import Path

from ...checker import Diagnosis, Mending, Report
from .exercise import Exercise, exercise_in
from .handing import Judge, Judges, by_bench

__all__ = ["line_handed_out", "mending", "with_mending"]

# What says nothing of single lines: the file could not even be read.
_UNREAD = {"syntax", "load", "no-class"}
# So many changed places are looked at one by one.
_PLACES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class _Hunk:
    """Lines that were changed: from where to where as handed out and now, counted from 0."""

    start: int
    end: int
    now_start: int
    now_end: int

    def holds(self, line: int) -> bool:
        """Whether a line as handed out, counted from 1, lies in it."""
        return self.start < line <= self.end


def mending(exercise: Exercise, text: str, report: Report, judge: Judge) -> Mending:
    """Return how an exercise stands. report: on the text as it is now.

    A bug is mended where its line was changed and the right file with that change passes; so it
    does not matter how it was mended. What else was changed is broken where the right file with
    that change alone fails.
    """
    now = text.splitlines()
    hunks = _hunks(exercise.lines, now)
    planted = exercise.planted
    touched = [at for at, one in enumerate(planted) if any(hunk.holds(one.line) for hunk in hunks)]
    beside = [
        hunk.now_start + 1 for hunk in hunks if not any(hunk.holds(one.line) for one in planted)
    ]
    whole = Mending(bugs=len(planted), changed=beside)
    if report.verdict == "pass":
        return replace(whole, mended=len(planted), lines=[one.line for one in planted])
    if report.error is not None and report.error.kind in _UNREAD:
        return replace(whole, changed=[])
    rest = judge(_rest(exercise, now, touched))
    if rest.verdict == "pass":
        return replace(whole, mended=len(touched), lines=[planted[at].line for at in touched])
    mended, broken = list[int](), list[Diagnosis]()
    for hunk in hunks[:_PLACES]:
        alone = judge(_alone(exercise, now, hunk))
        mine = [at for at in touched if hunk.holds(planted[at].line)]
        if alone.verdict == "pass":
            mended += mine
        else:
            broken += _broken(alone, hunk, {planted[at].mistake for at in mine}, bool(mine))
    if not broken and len(mended) == len(touched):
        # Each change is right alone, and together they are not.
        broken = _said(rest, 0) or [Diagnosis(mistake="", message="")]
    return replace(
        whole, mended=len(mended), lines=[planted[at].line for at in mended], broken=broken
    )


def with_mending(report: Report, file: Path, bench: Judges) -> Report:
    """Return a report that says how the exercise stands, where its file is one."""
    exercise = exercise_in(file)
    if exercise is None or exercise.order.kata.id != report.kata:
        return report
    judge = by_bench(bench, exercise.order.kata)
    try:
        text = file.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return report
    return replace(report, debug=mending(exercise, text, report, judge))


def line_handed_out(exercise: Exercise, text: str, line: int) -> int | None:
    """Return which line as handed out a line of the present text is; None where it is a new one."""
    matcher = SequenceMatcher(None, exercise.lines, text.splitlines(), autojunk=False)
    for tag, start, end, now, _ in matcher.get_opcodes():
        if tag != "insert" and now < line <= now + (end - start):
            return start + line - now
    return None


def _hunks(before: Sequence[str], now: Sequence[str]) -> list[_Hunk]:
    matcher = SequenceMatcher(
        None, [row.rstrip() for row in before], [row.rstrip() for row in now], autojunk=False
    )
    return [
        _Hunk(start=a, end=b, now_start=c, now_end=d)
        for tag, a, b, c, d in matcher.get_opcodes()
        if tag != "equal"
    ]


def _rest(exercise: Exercise, now: Sequence[str], touched: Sequence[int]) -> str:
    """The present text, with the bugs that nobody has touched mended."""
    lines = list(now)
    for at, one in enumerate(exercise.planted):
        if at not in touched:
            place = _place_now(exercise, now, one.line)
            if place is not None:
                lines[place - 1] = one.right
    return "\n".join(lines) + "\n"


def _place_now(exercise: Exercise, now: Sequence[str], line: int) -> int | None:
    matcher = SequenceMatcher(None, exercise.lines, now, autojunk=False)
    for tag, start, end, first, _ in matcher.get_opcodes():
        if tag == "equal" and start < line <= end:
            return first + line - start
    return None


def _alone(exercise: Exercise, now: Sequence[str], hunk: _Hunk) -> str:
    """The right file with one change alone."""
    right = exercise.mended(*range(len(exercise.planted))).splitlines()
    changed = now[hunk.now_start : hunk.now_end]
    return "\n".join([*right[: hunk.start], *changed, *right[hunk.end :]]) + "\n"


def _broken(alone: Report, hunk: _Hunk, mistakes: set[str], planted: bool) -> list[Diagnosis]:  # noqa: FBT001
    """What a change has broken. The bug that it was to mend is none: it is not mended yet."""
    said = _said(alone, hunk.now_start - hunk.start)
    if planted and (not said or {one.mistake for one in said} & mistakes):
        return []
    return said or [Diagnosis(mistake="", message="", line=hunk.now_start + 1)]


def _said(report: Report, shift: int) -> list[Diagnosis]:
    return [
        replace(one, line=None if one.line is None else one.line + shift)
        for one in report.diagnosis
    ]
