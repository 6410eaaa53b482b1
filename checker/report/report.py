"""The report: plain data, one JSON object a file. Standard library only."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from .timings import Timings

__all__ = [
    "CHECK_IDS",
    "MISTAKE_IDS",
    "REMARK_IDS",
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

# What can be wrong, and what is worth a remark. Each has a page in `kata/explanations/`.
MISTAKE_IDS = (
    "scale-missing",
    "scale-by-hidden-dim",
    "scale-by-length",
    "scale-without-sqrt",
    "scale-multiplied",
    "scale-after-softmax",
    "softmax-missing",
    "softmax-twice",
    "softmax-wrong-axis",
    "softmax-unstable",
    "mask-ignored",
    "mask-inverted",
    "mask-after-softmax",
    "mask-transposed",
    "mask-fill-zero",
    "mask-fill-small",
    "mask-added",
    "mask-multiplied",
    "mask-needed",
    "causal-missing",
    "causal-excludes-self",
    "causal-sees-next",
    "causal-inverted",
    "causal-not-sliced",
    "query-key-swapped",
    "value-not-projected",
    "key-not-projected",
    "query-not-projected",
    "values-from-keys",
    "weights-on-keys",
    "cross-wrong-source",
    "projection-unused",
    "key-viewed-by-query-length",
    "heads-not-split",
    "heads-view-without-transpose",
    "heads-interleaved",
    "heads-merge-without-transpose",
    "heads-merge-wrong-axes",
    "heads-share-projection",
    "view-needs-contiguous",
    "softmax-over-heads",
    "output-projection-missing",
    "not-fused",
    "residual-added",
    "norm-added",
    "activation-added",
    "dropout-missing",
    "dropout-in-eval",
    "dropout-before-softmax",
    "dropout-on-output",
    "dropout-rate-wrong",
    "dropout-shared",
    "detached",
    "gradient-nan",
    "overwritten-in-place",
    "parameters-not-registered",
    "weights-frozen",
    "batch-mixed",
    "length-fixed",
    "batch-fixed",
    "input-modified",
    "dtype-hardcoded",
    "device-hardcoded",
    "mask-not-buffer",
    "nondeterministic",
    "forbidden-call",
    "operator-missing",
    "python-loop",
    "result-copied",
    "result-shared",
    "result-strides",
    "result-dtype",
    "mask-dtype",
    "tensor-too-large",
    "autograd-used",
    "state-not-returned",
    "state-too-large",
)

REMARK_IDS = (
    "prints",
    "fill-overflows-half",
    "nan-on-empty-row",
    "dropout-unused",
    "dropout-not-applied",
    "returns-tuple",
    "mask-form",
    "mask-without-default",
    "argument-unknown",
    "switch-off",
    "output-projection-extra",
    "parameter-unused",
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
    """A named mistake, with the line and, where they are known, the lines of code.

    reference: the model answer's line. matches: that line as the mistake writes it, which
    gives the submission's numbers. yours: the submission's own line.
    """

    mistake: str
    message: str
    line: int | None = None
    reference: str | None = None
    yours: str | None = None
    matches: str | None = None


@dataclass(slots=True, kw_only=True)
class Remark:
    """Something worth knowing about code that is right."""

    id: str
    message: str
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
    message: str = ""


@dataclass(slots=True, kw_only=True)
class Heat:
    """The attention weights of one small case, by head, query and key.

    actual: the submission's, empty where none were found; it may have fewer heads.
    masked: the keys that must get no weight. line: where the submission makes its weights.
    reached: whether they are the expected ones.
    """

    case: str
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
    it, as numbers, or true and false.
    """

    case: str
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
    message: str
    line: int | None = None
    help: str = ""


@dataclass(slots=True, kw_only=True)
class Crash:
    """The exception by which a check fails, where nothing else keeps that check waiting.

    help: as of a Fault.
    """

    check: str
    message: str
    line: int | None = None
    help: str = ""


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
    message: str = ""


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
    traced: str = ""
    departure: Departure | None = None
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
        known = dict(data)
        known["checks"] = [Check(**row) for row in data["checks"]]
        known["diagnosis"] = [Diagnosis(**row) for row in data["diagnosis"]]
        known["remarks"] = [Remark(**row) for row in data["remarks"]]
        known["trace"] = [Step(**row) for row in data["trace"]]
        known["difference"] = Difference(**data["difference"]) if data["difference"] else None
        known["error"] = Fault(**data["error"]) if data["error"] else None
        known["crash"] = Crash(**data["crash"]) if data.get("crash") else None
        known["functions"] = [Part(**row) for row in data.get("functions", [])]
        known["departure"] = Departure(**data["departure"]) if data.get("departure") else None
        known["heat"] = Heat(**data["heat"]) if data.get("heat") else None
        known["also"] = [Named(**row) for row in data.get("also", [])]
        known["debug"] = _mending(data["debug"]) if data.get("debug") else None
        known["bench"] = Timings.from_dict(data["bench"]) if data.get("bench") else None
        return cls(**known)


def _mending(data: dict[str, Any]) -> Mending:
    told: dict[str, Any] = {**data, "broken": [Diagnosis(**row) for row in data["broken"]]}
    return Mending(**told)
