"""What marks are read from: answers, runs and submissions, told so that they can be quoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from .session import Claimed, Put, Session

__all__ = ["Evidence", "Mark", "explained", "failed", "numeric", "verified"]

_QUOTE = 60
_NUMERIC = {"dtypes", "stability", "device"}


@dataclass(frozen=True, slots=True)
class Evidence:
    """One piece: the key of a sentence, and its values; one that is a mapping goes by language."""

    key: str
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])


Mark = tuple[int, list[Evidence]]


def failed(session: Session, at: int) -> int:
    """Return how many submissions of a tier were turned down; the last look does not count."""
    return sum(
        one.tier == at and one.judged and not one.accepted and not one.last
        for one in session.submissions
    )


def verified(session: Session) -> Mark:
    """Checks of one's own, where code was written; claims, where bugs were to be found.

    With both the lower of the two, where both were reached.
    """
    marks = [
        mark(session)
        for mark, wanted in ((_tested, False), (_claimed, True))
        if any(bool(one.tier.bugs) is wanted and one.began is not None for one in session.planned)
    ]
    if not marks:
        return _tested(session)
    return min(mark for mark, _ in marks), [one for _, rows in marks for one in rows]


def _claimed(session: Session) -> Mark:
    """4 every bug claimed before it was mended, nothing wrongly; 3 half, and more than wrongly.

    2 one; 1 none.
    """
    stages = {at: stage for at, stage in enumerate(session.planned) if stage.planted}
    bugs = sum(len(stage.planted["planted"]) for stage in stages.values())
    said = [one for one in session.claims if one.tier in stages]
    right = {(one.tier, one.first) for one in said if one.verdict == "right" and one.early}
    wrong = sum(one.verdict in {"wrong", "other-name"} for one in said)
    counted = {"count": bugs, "right": len(right), "wrong": wrong}
    evidence = [Evidence("evidence-claims", counted), *map(_claim, said)]
    if len(right) == bugs and not wrong:
        return 4, evidence
    if len(right) * 2 >= bugs and len(right) > wrong:
        return 3, evidence
    return (2 if right else 1), evidence


def _claim(one: Claimed) -> Evidence:
    late = "-late" if one.verdict == "right" and not one.early else ""
    values = {"at": one.line, "minute": int(one.at // 60) + 1, "mistake": one.mistake}
    return Evidence(f"evidence-claim-{one.verdict}{late}", values)


def _tested(session: Session) -> Mark:
    """4 checks of one's own run before each step passed; 3 before one; 2 runs alone; 1 none."""
    passed = [
        at for at, stage in enumerate(session.planned) if stage.passed and not stage.tier.bugs
    ]
    checked = [at for at in passed if _checked(session, at)]
    evidence = [
        Evidence(
            "evidence-ran-checks" if run.checks else "evidence-ran",
            {"minute": int(run.at // 60) + 1, "count": run.checks, "status": run.status},
        )
        for run in session.runs
    ]
    if passed and checked == passed:
        return 4, evidence
    if any(run.checks for run in session.runs):
        return 3, evidence
    return (2, evidence) if evidence else (1, [Evidence("evidence-never-ran")])


def _checked(session: Session, at: int) -> bool:
    accepted = session.accepted(at)
    return accepted is not None and any(
        run.checks and run.tier == at and run.at <= accepted.at for run in session.runs
    )


def explained(session: Session) -> Mark:
    """By the share of all that was asked, and by that of the points in one's own words.

    4 three quarters, and half of the points; 3 above half, and four in ten; 2 a third; else 1.
    """
    puts = [put for put in session.puts if put.closed]
    if not puts:
        return 0, [Evidence("evidence-no-questions")]
    mark = _rank(sum(map(_share, puts)) / len(puts), (0.35, 0.55, 0.75))
    evidence = [_answer(put) for put in puts]
    points = [made for put in puts if not put.asked("en").exact for made in put.made or ()]
    # Closed questions may be guessed: they carry nobody who explains little. The floors are low,
    # as the reader by words misses many points of good answers.
    most = _rank(sum(points) / len(points), (0.0, 0.4, 0.5)) if points else 4
    if most < mark:
        counted = {"had": sum(points), "count": len(points), "mark": most}
        evidence.insert(0, Evidence("evidence-own-words", counted))
    return min(mark, most), evidence


def _rank(share: float, floors: Sequence[float]) -> int:
    """Return the mark of a share: 1, and 1 more for each floor that it reaches."""
    return 1 + sum(share >= floor for floor in floors)


def numeric(session: Session) -> Mark:
    """By the questions on numbers, with code that holds in every dtype.

    4 three quarters of three and more, 3 half, 2 one right, or none asked; else 1.
    """
    puts = [put for put in session.puts if put.closed and put.asked("en").numeric]
    if not puts and all(stage.tier.bugs for stage in session.planned):
        # Code that was handed out says nothing of one's own numbers.
        return 0, [Evidence("evidence-no-numbers")]
    right = sum(bool(_share(put)) for put in puts)
    faults = _numeric_faults(session)
    evidence = [*faults, *map(_answer, puts)]
    sound = any(stage.passed for stage in session.stages) and not faults
    share = right / len(puts) if puts else 0.0
    if sound and len(puts) >= 3 and share >= 0.75:
        return 4, evidence
    if sound and puts and share >= 0.5:
        return 3, evidence
    return (2 if right or (sound and not puts) else 1), evidence or [
        Evidence("evidence-no-numbers")
    ]


def _numeric_faults(session: Session) -> list[Evidence]:
    found: list[Evidence] = []
    for one in session.submissions:
        checks: Sequence[Mapping[str, Any]] = one.report.get("checks", ())
        failing = sorted(
            check["id"] for check in checks if check["status"] == "fail" and check["id"] in _NUMERIC
        )
        forgiven = one.outcome.get("forgiven", ())
        found += [
            Evidence("evidence-check-failed", {"number": one.number, "check": name})
            for name in failing
            if name not in forgiven
        ]
    return found


def _share(put: Put) -> float:
    """Return the share of a question's points that were heard; ticks count for nothing."""
    return sum(put.made) / len(put.made) if put.made else 0.0


def _answer(put: Put) -> Evidence:
    made = put.made or ()
    said = " ".join(put.text.split())
    quote = said if len(said) <= _QUOTE else said[: _QUOTE - 1] + "…"
    ask = {language: " ".join(put.asked(language).ask.split()) for language in ("en", "zh")}
    key = "evidence-answer" if said else "evidence-no-answer"
    return Evidence(key, {"ask": ask, "quote": quote, "had": sum(made), "count": max(1, len(made))})
