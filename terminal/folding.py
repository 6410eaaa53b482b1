"""Loops in a trace: what repeats is drawn once, with how often.

Rounds of a loop make the same calls on the same lines; their shapes may differ, as where
a prefix grows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..checker import Step

__all__ = ["Loop", "Row", "folded"]

# A few repeated calls read better as they are.
_WORTH = 8
_PERIOD = 200
# More than anyone reads: what still is longer is listed by line.
_LONGEST = 120


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """A call, or the same call in several rounds; times counts those of a listing by line."""

    step: Step
    times: int = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """Rounds of the same calls."""

    times: int
    body: tuple[Row | Loop, ...]


_Key = tuple[object, ...]


def folded(steps: Sequence[Step]) -> list[Row | Loop]:
    """Return the steps with their loops folded, inner ones first."""
    rows: list[Row | Loop] = [Row(step=step) for step in steps]
    period = 1
    while period <= min(_PERIOD, len(rows) // 2):
        shorter = _fold(rows, period)
        # What was folded may make a shorter period of an outer loop.
        period = 1 if len(shorter) < len(rows) else period + 1
        rows = shorter
    return rows if _height(rows) <= _LONGEST else _listed(steps)


def _fold(rows: list[Row | Loop], period: int) -> list[Row | Loop]:
    keys = [_key(row) for row in rows]
    found: list[Row | Loop] = []
    at = 0
    while at < len(rows):
        rounds = _rounds(keys, at, period)
        if _worthwhile(rounds, _weight(rows[at : at + period])):
            body = list(rows[at : at + period])
            for turn in range(1, rounds):
                start = at + turn * period
                body = [
                    _merged(a, b)
                    for a, b in zip(body, rows[start : start + period], strict=True)
                ]  # fmt: skip
            found.append(Loop(times=rounds, body=tuple(body)))
            at += rounds * period
        else:
            found.append(rows[at])
            at += 1
    return found


def _worthwhile(rounds: int, weight: int) -> bool:
    return rounds * weight >= (_WORTH if rounds > 2 else 2 * _WORTH) and rounds > 1


def _rounds(keys: list[_Key], at: int, period: int) -> int:
    """How often the calls from a place on come in a row."""
    end = at + period
    while end + period <= len(keys) and keys[end] == keys[at]:
        if keys[end : end + period] != keys[at : at + period]:
            break
        end += period
    return (end - at) // period


def _key(row: Row | Loop) -> _Key:
    if isinstance(row, Row):
        return (row.step.line, row.step.call)
    return ("loop", *(_key(one) for one in row.body))


def _merged(left: Row | Loop, right: Row | Loop) -> Row | Loop:
    if isinstance(left, Loop):
        assert isinstance(right, Loop)
        pairs = zip(left.body, right.body, strict=True)
        body = tuple(_merged(a, b) for a, b in pairs)
        return Loop(times=max(left.times, right.times), body=body)
    assert isinstance(right, Row)
    return replace(left, step=_both(left.step, right.step))


def _both(left: Step, right: Step) -> Step:
    """One step for two: an axis that differs has no size and no name of its own."""
    known = _names(left.milestone) + _names(right.milestone)
    step = replace(
        left,
        milestone=", ".join(dict.fromkeys(known)) or None,
        missed=left.missed or right.missed,
    )
    if len(left.shape) != len(right.shape):
        step.axes = ["…"]
    elif left.shape != right.shape:
        pairs = zip(left.axes, left.shape, right.shape, strict=True)
        step.axes = [name if one == two else "…" for name, one, two in pairs]
    return step


def _names(milestone: str | None) -> list[str]:
    return milestone.split(", ") if milestone else []


def _weight(rows: Sequence[Row | Loop]) -> int:
    return sum(1 if isinstance(row, Row) else _WORTH for row in rows)


def _height(rows: Sequence[Row | Loop]) -> int:
    return sum(1 if isinstance(row, Row) else 1 + _height(row.body) for row in rows)


def _listed(steps: Sequence[Step]) -> list[Row | Loop]:
    """Each call of each line once, in the order in which they first come."""
    found: dict[_Key, Row] = {}
    for step in steps:
        key = (step.line, step.call)
        old = found.get(key)
        if old is None:
            found[key] = Row(step=step)
        else:
            found[key] = Row(step=_both(old.step, step), times=old.times + 1)
    return list(found.values())
