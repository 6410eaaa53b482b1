"""What an interview showed, by dimension, and the level that follows from it by fixed rules.

Each dimension is marked 1 to 4, 0 where there was nothing to see, with what it was read from. A
level asks for a floor in every dimension; what a candidate says of their own answers counts for
nothing. `docs/interview.md` has the rules in words.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from .evidence import Evidence, Mark, explained, failed, numeric, verified
from .plan import Level
from .session import Session
from .standing import clarity

__all__ = [
    "DIMENSIONS",
    "FLOORS",
    "GRADES",
    "SPARED",
    "Dimension",
    "dimensions",
    "grade",
    "level",
    "missing",
    "next_level",
]

GRADES = ("strong-no", "no", "lean", "yes", "strong-yes")
DIMENSIONS = (
    "clarifying", "correctness", "verification", "explanation", "numerics", "independence", "pace",
)  # fmt: skip
# What each level asks for at least, in that order.
FLOORS: dict[str, tuple[int, ...]] = {
    "junior": (2, 3, 1, 2, 2, 2, 2),
    "mid": (2, 3, 2, 3, 2, 2, 2),
    "senior": (3, 3, 2, 3, 3, 3, 3),
    "staff": (3, 4, 3, 4, 3, 3, 3),
}
# What a plan may leave no room for; elsewhere nothing to see is nothing shown.
SPARED = {"clarifying", "numerics", "pace"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Dimension:
    """One dimension: its mark, 1 to 4 or 0 for nothing to see, and the evidence."""

    name: str
    mark: int
    evidence: tuple[Evidence, ...]


def dimensions(session: Session, lookups: Sequence[str] = ()) -> tuple[Dimension, ...]:
    """Return every dimension. lookups: what was looked up meanwhile, as commands."""
    marked: Mapping[str, Callable[[], Mark]] = {
        "clarifying": lambda: _clarifying(session),
        "correctness": lambda: _correctness(session),
        "verification": lambda: verified(session),
        "explanation": lambda: explained(session),
        "numerics": lambda: numeric(session),
        "independence": lambda: _independence(session, lookups),
        "pace": lambda: _pace(session),
    }
    found = {name: marked[name]() for name in DIMENSIONS}
    return tuple(
        Dimension(name=name, mark=mark, evidence=tuple(evidence))
        for name, (mark, evidence) in found.items()
    )


def missing(marked: Sequence[Dimension], at: str) -> tuple[tuple[str, int, int], ...]:
    """Return each dimension below a level's floor: its name, the mark, and the floor."""
    return tuple(
        (one.name, one.mark, floor)
        for one, floor in zip(marked, FLOORS[at], strict=True)
        if one.mark < floor and not (one.mark == 0 and one.name in SPARED)
    )


def next_level(at: str) -> str:
    """Return the level above one, "" above the last."""
    names = [one.value for one in Level]
    place = names.index(at) + 1
    return names[place] if place < len(names) else ""


def level(session: Session, marked: Sequence[Dimension]) -> str:
    """Return the highest level, up to the one asked at, of which every floor is met; or none."""
    names = [one.value for one in Level]
    there = names[: names.index(session.level) + 1]
    return next((name for name in reversed(there) if not missing(marked, name)), "none")


def grade(session: Session, marked: Sequence[Dimension]) -> str:
    """Return the verdict's name at the level that was asked for.

    strong yes  every floor of the level, and of the next one
    yes         every floor of the level
    lean        one floor missed by one, and half of the work done
    no          at least one step passed
    strong no   otherwise
    """
    missed = missing(marked, session.level)
    above = next_level(session.level)
    if not missed:
        best = not missing(marked, above) if above else all(one.mark in {0, 4} for one in marked)
        return "strong-yes" if best else "yes"
    correct = next(one.mark for one in marked if one.name == "correctness")
    near = len(missed) == 1 and missed[0][2] - max(1, missed[0][1]) == 1
    if near and correct >= 2:
        return "lean"
    return "no" if any(stage.passed for stage in session.stages) else "strong-no"


def _clarifying(session: Session) -> Mark:
    """4 all asked in time; 3 six in ten; 2 three in ten, or all guessed right; else 1."""
    found = [one for one in clarity(session) if one.how != "never"]
    evidence: list[Evidence] = [
        Evidence(f"evidence-{one.how}", {"topic": one.topic, "quote": one.text}) for one in found
    ]
    if not found:
        return 0, [Evidence("evidence-nothing-open", {})]
    share = sum(one.how == "asked" for one in found) / len(found)
    guessed = all(one.how in {"asked", "guessed"} for one in found)
    mark = 4 if share == 1 else 3 if share >= 0.6 else 2 if share >= 0.3 or guessed else 1
    return mark, evidence


def _correctness(session: Session) -> Mark:
    """4 every step and one submission turned down at most; 3 every step; 2 half; else 1.

    Of three steps and more all but one are enough for 3. A step in which bugs are to be found
    counts by the share that is mended.
    """
    count = len(session.planned)
    passed = [at for at, stage in enumerate(session.planned) if stage.passed]
    slips = sum(failed(session, at) for at in range(count))
    evidence = [_step(session, at) for at in range(len(session.stages))]
    if len(passed) == count:
        return (4 if slips <= 1 else 3), evidence
    if count >= 3 and len(passed) == count - 1:
        return 3, evidence
    done = sum(_done(session, at) for at in range(count))
    return (2 if done * 2 >= count else 1), evidence


def _done(session: Session, at: int) -> float:
    """How much of a step is done: all or nothing, or the share of its bugs that was mended."""
    if session.stages[at].passed:
        return 1.0
    shares = [
        one.report["debug"]["mended"] / one.report["debug"]["bugs"]
        for one in session.submissions
        if one.tier == at and one.report.get("debug")
    ]
    return max(shares, default=0.0)


def _step(session: Session, at: int) -> Evidence:
    stage = session.stages[at]
    values = {"step": at + 1, "title": dict(stage.tier.title), "failed": failed(session, at)}
    accepted = session.accepted(at)
    if accepted is not None:
        values |= {"number": accepted.number, "minute": _minute(accepted.at)}
        return Evidence("evidence-passed", values)
    wrong = [one for one in session.submissions if one.tier == at and one.judged]
    if not wrong:
        return Evidence("evidence-not-submitted", values)
    named = next((one for one in wrong[-1].report.get("diagnosis", ()) if one["line"]), None)
    values |= {"number": wrong[-1].number, "line": named["line"] if named else 0}
    return Evidence("evidence-not-passed", values)


def _independence(session: Session, lookups: Sequence[str]) -> Mark:
    """4 no help; 3 two pieces at most; 2 four; 1 more, or the model answer was looked up."""
    hints = sum(stage.hints for stage in session.stages)
    told = sum(one.told for one in session.submissions)
    cost = hints + told + len(lookups)
    evidence = [Evidence("evidence-help", {"hints": hints, "told": told})]
    evidence += [Evidence("evidence-looked-up", {"command": one}) for one in lookups]
    if any(one.startswith(("solution", "learn")) for one in lookups):
        return 1, evidence
    return (4 if not cost else 3 if cost <= 2 else 2 if cost <= 4 else 1), evidence


def _pace(session: Session) -> Mark:
    """4 every step with a quarter of the time left; 3 every step; 2 the last one begun; else 1."""
    if session.practice:
        return 0, [Evidence("evidence-no-clock", {})]
    stages = session.planned
    ended = max((one.ended or 0.0 for one in stages if one.passed), default=0.0)
    values = {"minute": _minute(ended), "minutes": f"{session.minutes:g}"}
    if all(stage.passed for stage in stages):
        early = ended <= 0.75 * session.minutes * 60
        return (4 if early else 3), [Evidence("evidence-all-passed", values)]
    begun = sum(stage.began is not None for stage in stages)
    values = {"begun": begun, "count": len(stages), "spent": session.used}
    return (2 if begun == len(stages) else 1), [Evidence("evidence-begun", values)]


def _minute(seconds: float) -> int:
    return int(seconds // 60) + 1
