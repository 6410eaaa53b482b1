"""What is seen of a wrong file from outside, and how hard that makes it: from a report alone.

An interviewer says what happens and not why: a symptom names no mistake and no line. It is true
because it repeats what the judge has tried.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ...checker import Message, Part, Report, Said
from ...kata.catalogue import find
from ...sentences.wording import sentence

__all__ = ["Symptom", "level_of", "symptoms"]

# What is told first. Each is the key of a sentence, `symptom-` before it.
_ORDER = (
    "values", "mask", "causality", "lengths", "purity", "stability", "gradients", "dropout",
    "dtypes", "device", "structure", "parameters", "rules",
)  # fmt: skip
_RAISED = re.compile(r"raised? (\w+(?:Error|Exception))")
_BATCH = re.compile(r"\b(?:batch|B) (\d+)")
_TOLD = 2
# What is wrong in one respect alone: the rest is right, or this would not have been tried.
_ALONE = {
    "gradients": {"fail-gradients", "fail-detached"},
    "dtypes": {"fail-dtype", "fail-dtype-values", "fail-dtype-case"},
    "device": {"fail-device", "fail-device-raised", "fail-device-finding"},
}
# What is seen apart from the numbers, whatever they are.
_ALSO = {"device": "symptom-also-device", "dropout": "symptom-dropout"}
# Checks that what is loud passes: a person who tries the file as it is sees nothing raised.
_QUIET = {"gradients", "dtypes", "device"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Symptom:
    """One sentence: its key, and what is filled in."""

    key: str
    values: dict[str, object] = field(default_factory=dict[str, object])


def symptoms(report: Report) -> list[Symptom]:
    """Return one or two things that are seen of a file; nothing of one that passes."""
    if report.verdict == "pass":
        return []
    many = len(report.functions) > 1 or find(report.kata).kind == "program"
    # Of several parts each is called, whatever another one raised.
    told = any(part.status == "fail" for part in report.functions)
    if many and (told or report.error is None):
        return _of_parts(report)
    if report.error is not None:
        return [_raised(report.error.message)]
    failing = _failing(report)
    difference = report.difference
    if "shape" in failing:
        given = difference is not None and difference.actual_shape and difference.expected_shape
        shapes: dict[str, object] = {}
        if given and difference is not None:
            shapes = {
                "actual": tuple(difference.actual_shape),
                "expected": tuple(difference.expected_shape),
            }
        return [Symptom(key="symptom-shape" if shapes else "symptom-some-shape", values=shapes)]
    found = [_seen(report, name) for name in _ORDER if name in failing]
    return found[:_TOLD] or [Symptom(key="symptom-wrong")]


def level_of(report: Report) -> str:
    """Return how hard a bug is to see: junior, mid or senior."""
    failing = _failing(report)
    crashed = report.crash is not None and report.crash.check not in _QUIET
    if report.error is not None or crashed or "shape" in failing:
        return "junior"
    if not failing & {"values", "mask", "causality"}:
        return "senior"
    case = sentence(report.difference.case, "en") if report.difference is not None else ""
    # One sample alone is right.
    batched = any(one.mistake.startswith("batch-") for one in report.diagnosis)
    return "senior" if batched or "cached" in case else "mid"


def _failing(report: Report) -> set[str]:
    return {check.id for check in report.checks if check.status == "fail"}


def _of_parts(report: Report) -> list[Symptom]:
    """What is seen of each function or class that is wrong, and which ones are right."""
    found = [_of_part(part) for part in report.functions if part.status == "fail"]
    if not found:
        return [Symptom(key="symptom-wrong")]
    # A part's own sentence is about the first of what is wrong with it.
    found += [
        Symptom(key=key) for check, key in _ALSO.items()
        if check in _failing(report) and not any(check in one.key for one in found)
    ]  # fmt: skip
    right = ", ".join(f"`{part.name}`" for part in report.functions if part.status == "pass")
    rest = [Symptom(key="symptom-rest", values={"names": right})] if right else []
    own = [Symptom(key="symptom-own")] if len(report.functions) > 1 else []
    return [*found, *rest, *own]


def _of_part(part: Part) -> Symptom:
    """What is seen of one part: how often it is wrong and the smallest case, or in what alone."""
    told = part.message
    values: dict[str, object] = {"name": part.name}
    if not isinstance(told, Message):
        return Symptom(key="symptom-part", values=values)
    if told.key == "fail-values":
        large = "case-gain" in repr(told.values["case"])
        key = "symptom-part-large" if large else "symptom-part-cases"
        return Symptom(key=key, values=values if large else values | told.values)
    if told.key == "fail-shape":
        return Symptom(key="symptom-part-shape", values=values | told.values)
    if "dropout" in told.key:
        return Symptom(key="symptom-part-dropout", values=values)
    for name, keys in _ALONE.items():
        if told.key in keys:
            return Symptom(key=f"symptom-part-{name}", values=values)
    fault = _fault(told)
    key = "symptom-part-raises" if fault else "symptom-part"
    return Symptom(key=key, values=values | {"fault": fault})


def _seen(report: Report, name: str) -> Symptom:
    crash, difference = report.crash, report.difference
    if crash is not None and crash.check == name:
        return Symptom(key=f"symptom-{name}-raises", values={"fault": _fault(crash.message)})
    if name == "values" and difference is not None and difference.case:
        if any(value != value for value in difference.pair):  # noqa: PLR0124 - NaN
            return Symptom(key="symptom-nan", values={"case": difference.case})
        return Symptom(key="symptom-values-case", values={"case": difference.case})
    return Symptom(key=f"symptom-{name}")


def _raised(message: Said) -> Symptom:
    fault = _fault(message)
    key = "symptom-raises" if fault else "symptom-does-not-run"
    return Symptom(key=key, values={"fault": fault} if fault else {})


def _fault(message: Said) -> str:
    told = sentence(message, "en")
    found = _RAISED.search(told) or re.search(r"\b(\w+(?:Error|Exception))\b", told)
    return found[1] if found else ""
