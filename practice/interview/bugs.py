"""A step in which bugs are to be found: what is handed out, claimed, hinted and mended.

The file is an exercise of `practice/debug` without its first line: outside of the interview nobody
can ask for its answer. What was planted is kept with the event that handed it out, so that an
interview goes on under a version with other exercises.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import asdict, replace
from typing import Any

from ...checker import Report, said
from ...kata.catalogue import find
from ..debug.exercise import Exercise, Order, Planted, most
from ..debug.handing import Judge, Unproved, proved
from ..debug.standing import mending
from ..debug.symptoms import Symptom, symptoms
from ..errors import Refusal
from .judging import Outcome
from .plan import Tier
from .texts import table

__all__ = ["exercise_of", "judged", "outcome_of", "plant", "symptoms_of", "why_questions"]

_HEAD = "# attn-kata: interview"
# Seeds that are tried where the judge finds no draw from the first one whole.
_SEEDS = 4
# Why nothing raised, by what is wrong of a bug alone: the first that fails says it.
_WHY = (
    ("shape", "shape"), ("values", "numbers"), ("mask", "numbers"), ("causality", "numbers"),
    ("lengths", "numbers"), ("gradients", "gradients"), ("dropout", "dropout"),
    ("dtypes", "dtypes"), ("stability", "stability"), ("purity", "purity"), ("device", "device"),
)  # fmt: skip
_NUMERIC = {"dtypes", "stability"}
_OPTIONS = 4


def plant(tier: Tier, seed: int, level: str, judge: Judge) -> dict[str, Any]:
    """Draw a step's exercise; return it as plain data. Raise Refusal where none is found whole."""
    order = Order(kata=tier.kata, seed=seed, count=tier.bugs, level=_level(tier, level))
    for further in range(_SEEDS):
        try:
            found = proved(replace(order, seed=seed + further), judge)
        except Unproved:
            continue
        break
    else:
        raise Refusal("debug-unproved", seed=seed)
    exercise = replace(found.exercise, lines=(_HEAD, *found.exercise.lines[1:]))
    alone = [judge(_alone(exercise, at)) for at in range(len(exercise.planted))]
    return {
        "kata": tier.kata.id,
        "seed": found.exercise.order.seed,
        "source": exercise.text,
        "planted": [asdict(one) for one in exercise.planted],
        "symptoms": [asdict(one) for one in symptoms(found.report)],
        "why": [_why(report) for report in alone],
    }


def symptoms_of(data: Mapping[str, Any]) -> list[Symptom]:
    """Return what is seen of an exercise, from its event's data; nothing where there is none."""
    return [
        Symptom(key=row["key"], values={name: said(one) for name, one in row["values"].items()})
        for row in data.get("symptoms", ())
    ]


def exercise_of(data: Mapping[str, Any]) -> Exercise:
    """Return the exercise that was handed out, from its event's data."""
    planted = tuple(Planted(**row) for row in data["planted"])
    order = Order(kata=find(data["kata"]), seed=data["seed"], count=len(planted))
    return Exercise(order=order, lines=tuple(data["source"].splitlines()), planted=planted)


def judged(exercise: Exercise, source: str, file: str, judge: Judge) -> Report:
    """Judge a submission, and say what it mended."""
    report = judge(source)
    return replace(report, file=file, debug=mending(exercise, source, report, judge))


def outcome_of(report: Report) -> Outcome:
    """Return what a submission came to: everything is mended, and nothing else is broken."""
    right = report.verdict == "pass"
    return Outcome(accepted=right, missed=(), unsure=(), forgiven=(), group="" if right else "bugs")


def why_questions(data: Mapping[str, Any], seed: int) -> list[tuple[str, dict[str, Any]]]:
    """Return one question a bug, with their names: why did nothing raise?"""
    rows = zip(data["planted"], data["why"], strict=True)
    return [
        (f"own:{data['kata']}:bug-{bug['line']}", _question(bug, why, seed)) for bug, why in rows
    ]


def _level(tier: Tier, level: str) -> str:
    """Bugs of which nothing raises; for seniors those that ordinary runs do not show."""
    wanted = ("senior", "mid") if level in {"senior", "staff"} else ("mid",)
    return next((one for one in wanted if most(tier.kata, one) >= tier.bugs), "")


def _alone(exercise: Exercise, at: int) -> str:
    return exercise.mended(*(one for one in range(len(exercise.planted)) if one != at))


def _why(report: Report) -> str:
    failing = {check.id for check in report.checks if check.status == "fail"}
    found = next((why for check, why in _WHY if check in failing), "means")
    if report.error is not None or (report.crash is not None and found != "shape"):
        return "raises"
    return found


def _question(bug: Mapping[str, Any], why: str, seed: int) -> dict[str, Any]:
    rows = table("bugs.toml")
    chance = random.Random(f"why {bug['line']} {seed}")  # noqa: S311 - a draw, not a secret
    # What raises on some input may do another of these things besides.
    others = sorted(set(rows["why"]) - {why, "raises", "means"})
    options = [why, *chance.sample(others, _OPTIONS - 1)]
    found: dict[str, Any] = {"kind": "choose", "expected": [0], "numeric": why in _NUMERIC}
    values = {"line": bug["line"], "wrong": bug["wrong"].strip(), "mistake": bug["mistake"]}
    for language in ("en", "zh"):
        asked = rows["asked"][language]
        found[language] = {
            "ask": asked["raised" if why == "raises" else "silent"].format(**values),
            "answer": asked["answer"].format(**values, right=bug["right"].strip()),
            "options": [rows["why"][one][language] for one in options],
        }
    return found
