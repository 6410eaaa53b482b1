"""Which of the interviewer's sentences a failed submission gets."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ...checker import Report
from ...kata.catalogue import find
from ...kata.slips import slips
from .texts import table

__all__ = ["found_wrong", "group_of", "on_step"]

_CHECKS = {"shape": "shape", "mask": "mask", "causality": "causal", "dropout": "dropout"}


def group_of(report: Report, *, agreed: bool = False) -> str:
    """Return the group of mistakes that an interviewer's sentence is about.

    A mistake has the group that lists it; one of a kata's own, which none lists, has the group
    whose beginning its name has, then the one for how its line is found. Without a group the
    checks that fail decide. What is not written yet has a group of its own.
    """
    if agreed:
        return "agreed"
    if report.unfinished:
        return "unfinished"
    for diagnosis in report.diagnosis:
        group = _group(diagnosis.mistake, report.kata)
        if group:
            return group
    if report.verdict == "error":
        kind = report.error.kind if report.error is not None else ""
        return _first("faults", kind) or "crash"
    failing = [check.id for check in report.checks if check.status == "fail"]
    return next((_CHECKS[name] for name in failing if name in _CHECKS), "unknown")


def found_wrong(kata: str, mistakes: Iterable[str]) -> str:
    """Return the group of the first mistake whose step hints can be given on; "" where none is."""
    groups = (_group(one, kata) for one in mistakes)
    voices = dict(_rows())
    return next((group for group in groups if group and "nudge" in voices[group]), "")


def on_step(group: str, language: str) -> tuple[str, str]:
    """Return how to see what a group's step does wrong, and what the step has to do."""
    row = dict(_rows())[group]
    return row["see"][language], row["nudge"][language]


def _group(mistake: str, kata: str) -> str:
    listed = _first("mistakes", mistake) or _begun(mistake)
    if listed:
        return listed
    found = next((one for one in slips(find(kata).folder) if one.id == mistake), None)
    return _first("lines", found.group) if found is not None else ""


def _begun(mistake: str) -> str:
    rows = _rows()
    return next(
        (group for group, row in rows if mistake.startswith(tuple(row.get("begins", ())))), ""
    )


def _first(key: str, name: str) -> str:
    return next((group for group, row in _rows() if name in row.get(key, ())), "")


def _rows() -> list[tuple[str, dict[str, Any]]]:
    return list(table("voices.toml").items())
