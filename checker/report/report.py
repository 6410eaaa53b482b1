"""The report: plain data, one JSON object a file. Standard library only."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from .message import Message, Said, said
from .timings import Timings

__all__ = [
    "SCHEMA",
    "Check",
    "Crash",
    "Departure",
    "Diagnosis",
    "Difference",
    "Fault",
    "Heat",
    "Mending",
    "Named",
    "Part",
    "Remark",
    "Report",
    "Step",
]

SCHEMA = 1


@dataclass(slots=True, kw_only=True)
class Check:
    """One thing that was tried. status is pass, fail or skip; cases counts the runs."""

    id: str
    status: str
    cases: int = 0
    detail: Said = ""


@dataclass(slots=True, kw_only=True)
class Diagnosis:
    """A named mistake, with the line and, where they are known, the lines of code.

    reference: the model answer's line. matches: that line as the mistake writes it, which gives the
    submission's numbers. yours: the submission's own line; mended: that line, or the lines that
    change places, with one small edit with which every call that was tried again is right; empty
    where it is right without the line.
    """

    mistake: str
    message: Said
    line: int | None = None
    reference: str | None = None
    yours: str | None = None
    matches: str | None = None
    mended: str | None = None


@dataclass(slots=True, kw_only=True)
class Mended:
    """A line of a file in which nothing has a name, with one small edit that makes all right.

    yours, mended: as of a Diagnosis.
    """

    line: int
    yours: str
    mended: str | None = None


@dataclass(slots=True, kw_only=True)
class Remark:
    """Something worth knowing about code that is right."""

    id: str
    message: Said
    line: int | None = None


@dataclass(slots=True, kw_only=True)
class Step:
    """One torch call of the submission on one small case.

    milestone: the model answer's step that it reaches. missed: the one that it should have
    reached, at the first departure. axes: the shape's axes by name. parts: how many tensors
    of this shape it returns.
    """

    line: int | None
    call: str
    shape: list[int]
    milestone: str | None = None
    missed: str | None = None
    axes: list[str] = field(default_factory=list)
    parts: int = 1


@dataclass(slots=True, kw_only=True)
class Departure:
    """The first step of the model answer that the trace does not reach.

    line: where it should have been made. since: the line of the last step reached before.
    message: how what is there differs, in a sentence, empty where nothing simple is found.
    """

    milestone: str
    line: int | None = None
    since: int | None = None
    message: Said = ""


@dataclass(slots=True, kw_only=True)
class Heat:
    """The attention weights of one small case, by head, query and key.

    actual: the submission's, empty where none were found; it may have fewer heads.
    masked: the keys that must get no weight. line: where the submission makes its weights.
    reached: whether they are the expected ones.
    """

    case: Said
    expected: list[list[list[float]]]
    actual: list[list[list[float]]]
    masked: list[list[list[bool]]]
    line: int | None = None
    reached: bool = False


@dataclass(slots=True, kw_only=True)
class Difference:
    """The smallest failing case: where, how far off, and a slice of both sides.

    name: the tensor's, empty where there is one alone. gradient: it is the gradient of that.
    pair: both sides at the worst place, yours first. expected, actual: of the matrix that holds
    it, as numbers, or true and false. where: which part is wrong where another part is right.
    """

    case: Said
    where: Said = ""
    name: str = ""
    gradient: bool = False
    pair: list[float] = field(default_factory=list)
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

    kind is syntax, load, construct, forward, timeout, memory, crash or no-class. help: what
    the shapes were, what it comes from and how to mend it, as far as that is known.
    """

    kind: str
    message: Said
    line: int | None = None
    help: Said = ""

    @property
    def exception(self) -> str:
        """The name of the exception, empty where there was none."""
        told = self.message.values if isinstance(self.message, Message) else {}
        return str(told.get("kind", ""))


@dataclass(slots=True, kw_only=True)
class Crash:
    """The exception by which a check fails, where nothing else keeps that check waiting.

    help: as of a Fault.
    """

    check: str
    message: Said
    line: int | None = None
    help: Said = ""


@dataclass(slots=True, kw_only=True)
class Part:
    """One function, or class, that the kata asks for.

    status is pass, fail or waits: not written yet, or calling what is not. line: where it is
    wrong or has to be written, else where it begins; None where the file has it not. message:
    what is wrong, or what it waits for.
    """

    name: str
    status: str
    line: int | None = None
    message: Said = ""


@dataclass(slots=True, kw_only=True)
class Named:
    """A class of the file, and its line."""

    name: str
    line: int


@dataclass(slots=True, kw_only=True)
class Mending:
    """How a file with planted bugs stands.

    mended: how many of the bugs; lines: where those stood as the file was handed out. broken: what
    was right and is now wrong, its mistake empty where it has no name. changed: where lines begin
    that were right and were changed.
    """

    bugs: int
    mended: int = 0
    lines: list[int] = field(default_factory=list[int])
    broken: list[Diagnosis] = field(default_factory=list[Diagnosis])
    changed: list[int] = field(default_factory=list[int])


@dataclass(slots=True, kw_only=True)
class Report:
    """The verdict about one file under one kata.

    also: other classes of the file that fit it. traced: the call that the trace is of, in words,
    empty where the kata has one call alone. cells: a notebook's code cells, by the first and last
    line of each in the text that they make together, which is what every line here counts in.
    """

    kata: str
    file: str
    verdict: str
    object: str | None = None
    checks: list[Check] = field(default_factory=list)
    diagnosis: list[Diagnosis] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    trace: list[Step] = field(default_factory=list)
    traced: Said = ""
    departure: Departure | None = None
    mended: Mended | None = None
    difference: Difference | None = None
    error: Fault | None = None
    crash: Crash | None = None
    functions: list[Part] = field(default_factory=list)
    device: dict[str, str | None] = field(default_factory=lambda: {"cuda": "skipped", "name": None})
    seed: int = 0
    torch: str = ""
    elapsed_ms: int = 0
    printed: str = ""
    # Where in `printed` the output of each call that printed begins.
    printed_from: list[int] = field(default_factory=list)
    heat: Heat | None = None
    bench: Timings | None = None
    debug: Mending | None = None
    also: list[Named] = field(default_factory=list[Named])
    cells: list[list[int]] = field(default_factory=list[list[int]])
    schema: int = SCHEMA

    @property
    def unfinished(self) -> bool:
        """Whether something is not written yet, and nothing that is written is wrong."""
        states = {part.status for part in self.functions}
        return "waits" in states and "fail" not in states

    def to_dict(self) -> dict[str, Any]:
        """Return what JSON can carry, the schema first."""
        data = asdict(self)
        for name in ("heat", "bench", "debug"):
            if data[name] is None:
                # There only where it was asked for.
                del data[name]
        for name in ("also", "cells"):
            if not data[name]:
                del data[name]
        return {"schema": data.pop("schema"), **data}

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Report:
        """Build a report from `to_dict`'s form."""
        known = {**data, "traced": said(data.get("traced", ""))}
        for name, kind in _MANY.items():
            known[name] = [_made(kind, row) for row in data.get(name, ())]
        for name, kind in _ONE.items():
            known[name] = _made(kind, data[name]) if data.get(name) else None
        known["debug"] = _mending(data["debug"]) if data.get("debug") else None
        known["bench"] = Timings.from_dict(data["bench"]) if data.get("bench") else None
        return cls(**known)


# What a report holds by name: of these many, and of those one or none.
_MANY: dict[str, type[Any]] = {
    "checks": Check, "diagnosis": Diagnosis, "remarks": Remark, "trace": Step, "functions": Part,
    "also": Named,
}  # fmt: skip
_ONE: dict[str, type[Any]] = {
    "mended": Mended, "difference": Difference, "error": Fault, "crash": Crash,
    "departure": Departure, "heat": Heat,
}  # fmt: skip


def _made(kind: type[Any], row: dict[str, Any]) -> Any:
    # All that is a mapping in a row is a message.
    return kind(**{name: said(v) if isinstance(v, dict) else v for name, v in row.items()})


def _mending(data: dict[str, Any]) -> Mending:
    told: dict[str, Any] = {**data, "broken": [_made(Diagnosis, row) for row in data["broken"]]}
    return Mending(**told)
