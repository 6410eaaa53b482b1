"""The report: plain data, one JSON object a file. Standard library only."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

__all__ = [
    "CHECK_IDS",
    "SCHEMA",
    "Check",
    "Diagnosis",
    "Difference",
    "Fault",
    "Remark",
    "Report",
    "Step",
]

SCHEMA = 1

CHECK_IDS = (
    "rules",
    "structure",
    "parameters",
    "shape",
    "values",
    "mask",
    "gradients",
    "dropout",
    "dtypes",
    "stability",
    "lengths",
    "causality",
    "purity",
    "device",
)


@dataclass(slots=True, kw_only=True)
class Check:
    """One thing that was tried. status is pass, fail or skip; cases counts the runs."""

    id: str
    status: str
    cases: int = 0
    detail: str = ""


@dataclass(slots=True, kw_only=True)
class Diagnosis:
    """A named mistake, with the line and, where they are known, both lines of code."""

    mistake: str
    message: str
    line: int | None = None
    reference: str | None = None
    yours: str | None = None


@dataclass(slots=True, kw_only=True)
class Remark:
    """Something worth knowing about code that is right."""

    id: str
    message: str
    line: int | None = None


@dataclass(slots=True, kw_only=True)
class Step:
    """One torch call of the submission on one small case."""

    line: int | None
    call: str
    shape: list[int]
    milestone: str | None = None


@dataclass(slots=True, kw_only=True)
class Difference:
    """The smallest failing case: where, how far off, and a slice of both sides."""

    case: str
    max_abs: float | None = None
    max_rel: float | None = None
    at: list[int] = field(default_factory=list)
    expected_shape: list[int] = field(default_factory=list)
    actual_shape: list[int] = field(default_factory=list)
    axes: list[str] = field(default_factory=list)
    wrong: int = 0
    total: int = 0
    expected: list[list[float]] = field(default_factory=list)
    actual: list[list[float]] = field(default_factory=list)
    tolerance: float | None = None


@dataclass(slots=True, kw_only=True)
class Fault:
    """Why a file could not be judged.

    kind is syntax, load, construct, forward, timeout, memory, crash or no-class.
    """

    kind: str
    message: str
    line: int | None = None


@dataclass(slots=True, kw_only=True)
class Report:
    """The verdict about one file under one kata."""

    kata: str
    file: str
    verdict: str
    object: str | None = None
    checks: list[Check] = field(default_factory=list)
    diagnosis: list[Diagnosis] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    trace: list[Step] = field(default_factory=list)
    difference: Difference | None = None
    error: Fault | None = None
    device: dict[str, str | None] = field(
        default_factory=lambda: {"cuda": "skipped", "name": None}
    )
    seed: int = 0
    torch: str = ""
    elapsed_ms: int = 0
    printed: str = ""
    schema: int = SCHEMA

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can carry, the schema first."""
        data = asdict(self)
        return {"schema": data.pop("schema"), **data}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Report:
        """Build a report from `to_dict`'s form."""
        known = dict(data)
        known["checks"] = [Check(**row) for row in data["checks"]]
        known["diagnosis"] = [Diagnosis(**row) for row in data["diagnosis"]]
        known["remarks"] = [Remark(**row) for row in data["remarks"]]
        known["trace"] = [Step(**row) for row in data["trace"]]
        known["difference"] = Difference(**data["difference"]) if data["difference"] else None
        known["error"] = Fault(**data["error"]) if data["error"] else None
        return cls(**known)
