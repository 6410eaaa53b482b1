"""What a report is filled in with: checks, diagnoses, remarks and the difference shown."""

from __future__ import annotations

import ast
from typing import Any

import torch
from torch import Tensor

from ..diagnose.crashes import because, reason_of
from ..diagnose.lines import Lines, tested
from ..process.answers import Raised
from ..process.wire import dtype_name
from ..report.ids import CHECK_IDS
from ..report.message import Said, Value, say
from ..report.report import Check, Crash, Diagnosis, Difference, Remark, Report
from .compare import GRADIENT_BOUND, Gap
from .finding import Finding
from .source import Source

__all__ = ["Sheet"]

_AFTER_VALUES = ("mask", "gradients", "dropout", "dtypes", "stability", "lengths", "causality")


class Sheet:
    """The entries of one report. The report names the judged class."""

    def __init__(self, report: Report, source: Source) -> None:
        self.report = report
        self.source = source
        self.lines = Lines(source, report.object or "")
        self.checks: dict[str, Check] = {}
        self.crashes: dict[str, Crash] = {}

    def of(self, name: str, text: Said) -> Said:  # noqa: ARG002 - a class is judged alone
        """A sentence about what is called `name`, which is said where several are judged."""
        return text

    def set(self, name: str, status: str, detail: Said = "", cases: int = 0) -> None:
        """Record a check's outcome; a failure stays one."""
        old = self.checks.get(name)
        if old is not None and old.status == "fail":
            return
        self.checks[name] = Check(id=name, status=status, detail=detail, cases=cases)

    def crashed(self, check: str, fault: Raised, case: Said) -> None:
        """Keep the exception by which a check fails; it is told first. case: in words."""
        line, reason = fault.line, reason_of(fault)
        key = "crash-nowhere" if line is None else "crash-on-line"
        message = say(key, line=line, kind=fault.type, reason=reason, case=case)
        more = because(fault, self.source)
        self.crashes.setdefault(check, Crash(check=check, message=message, line=line, help=more))

    def blame(self, mistake: str, line: int | None = None, key: str = "", **values: Value) -> None:
        """Add a diagnosis, once."""
        if any(d.mistake == mistake and d.line == line for d in self.report.diagnosis):
            return
        message = say(key or mistake, **values)
        yours = self.source.line(line).strip() or None
        self.report.diagnosis.append(
            Diagnosis(mistake=mistake, line=line, message=message, yours=yours)
        )

    def blames(self, mistake: str) -> bool:
        """Whether a mistake was named already."""
        return any(d.mistake == mistake for d in self.report.diagnosis)

    def needs_mask(
        self, name: str, call: str, kind: str, fault: Raised | None, own: ast.AST | None
    ) -> None:
        """Fail what cannot do without a mask that may be left out.

        name: its argument. call: what is called. kind, fault: what comes of it without.
        own: the function in which it may ask whether there is one.
        """
        told: dict[str, Any] = {"name": name, "call": call}
        line = tested(own, name) or self.lines.argument(name)
        came = {"raised": "raised", "none": "nothing", "shape": "shape"}.get(kind, "values")
        if fault is not None:
            line = fault.line
            told |= {"kind": fault.type, "reason": reason_of(fault)}
        self.set("mask", "fail", say(f"mask-needed-{came}", **told))
        self.blame("mask-needed", line, f"mask-needed-{came}", **told)

    def remark(self, ident: str, line: int | None = None, key: str = "", **values: Value) -> None:
        """Add a remark, once."""
        if any(r.id == ident for r in self.report.remarks):
            return
        message = say(key or ident, **values)
        self.report.remarks.append(Remark(id=ident, line=line, message=message))

    def dtype_of(self, finding: Finding[Any]) -> Said:
        """The dtype of a finding's case, in words."""
        dtype = dtype_name(finding.trial.dtype)
        return say("under-autocast", dtype=dtype) if finding.trial.autocast else dtype

    def finding_text(self, finding: Finding[Any]) -> Said:
        """What a finding says, with its case."""
        raise NotImplementedError

    def forbid(self, name: str, line: int | None) -> None:
        """It calls what does the whole job, or our own answer."""
        module = name.rpartition(".")[2] if name.startswith("nn.") else ""
        # A layer is chosen where it is made, not where it is called.
        made = self.lines.naming(f"{module}(") if module else None
        line = made or line or self.lines.naming(name.rpartition(".")[2])
        self.set("rules", "fail", say("forbidden-call", call=f"`{name}`"))
        self.blame("forbidden-call", line, call=f"`{name}`")

    def imports(self, line: int | None) -> None:
        """Say that our own answer is imported, where it is."""
        if line is not None:
            self.set("rules", "fail", say("forbidden-call", call="`attn_kata`"))
            self.blame("forbidden-call", line, call="`attn_kata`")

    def foul(self, called: str, line: int | None) -> None:
        """It reached for what does the whole job; nothing else is judged."""
        self.forbid(called, line)
        for name in CHECK_IDS:
            if name != "rules":
                self.set(name, "skip", say("waits", check="rules"))
        self.finish()

    def differ(
        self, difference: Difference, mine: Tensor | None, right: Tensor, found: Gap | None,
        bound: float,
    ) -> None:  # fmt: skip
        """Show a difference, with the numbers of both sides where there are some."""
        self.report.difference = difference
        floats = right.is_floating_point()
        if difference.gradient:
            bound = GRADIENT_BOUND
        if floats:
            # What is whole, or true, is right or not.
            difference.tolerance = bound * (found.scale if found else 1)
        if mine is None:
            return
        difference.actual_shape = list(mine.shape)
        if found is None or not found.at:
            return
        difference.max_abs, difference.max_rel = found.max_abs, found.max_rel
        difference.at, difference.wrong, difference.total = list(found.at), found.wrong, found.total
        difference.pair = [side[found.at].item() for side in (mine, right)]
        plane = found.at[:-2]
        difference.actual, difference.expected = (_excerpt(side[plane]) for side in (mine, right))

    def finish(self) -> None:
        """Order the checks, hold back what waits for values, and set the verdict."""
        values = self.checks.get("values")
        if values is not None and values.status == "fail":
            for name in _AFTER_VALUES:
                check = self.checks.get(name)
                blamed = name == "dropout" and check is not None and check.status == "fail"
                if check is not None and check.detail != say("not-asked") and not blamed:
                    waits = say("waits", check="values")
                    self.checks[name] = Check(id=name, status="skip", detail=waits)
        mask = self.checks.get("mask")
        if mask is not None and mask.status == "fail":
            for name in ("gradients", "dtypes", "stability"):
                waits = say("waits", check="mask")
                self.checks[name] = Check(id=name, status="skip", detail=waits)
        for name in CHECK_IDS:
            if name not in self.checks:
                self.set(name, "skip", say("not-asked"))
        self.report.checks = [self.checks[name] for name in CHECK_IDS]
        failed = [check.id for check in self.report.checks if check.status == "fail"]
        self.report.verdict = "fail" if failed else "pass"
        self.report.crash = next((self.crashes[n] for n in failed if n in self.crashes), None)


def _excerpt(rows: Tensor) -> list[list[float]]:
    """The first entries of the first rows, as a report shows them."""
    return torch.atleast_2d(rows.detach())[:4, :6].tolist()
