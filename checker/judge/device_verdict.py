"""The device check: what is said of a real accelerator, and of a pretended one."""

from __future__ import annotations

from typing import Any

from ..diagnose.giveaways import state_line
from ..process.answers import Raised, Stray
from ..report.message import Said, say
from .finding import Finding
from .on_device import DeviceRun
from .page import Page

__all__ = ["judge_device"]

# What the pretended device knows of a stray tensor; any other exception says nothing.
_MET = frozenset({"made", "parameter", "attribute", "mask", "array"})


def judge_device(sheet: Page, faults: list[Stray], run: DeviceRun | None) -> None:
    """Right on the real device where there is one, else on the pretended one.

    faults: what the pretended device found. It knows where a stray tensor was made, and a
    real one only where it met another; what it does not know, it has no opinion on. run: None
    where no real device was tried.
    """
    sheet.report.device = _said_of(run)
    mixed = [fault for fault in faults if fault.kind in _MET]
    if run is None or not run.ran:
        _pretended(sheet, mixed, run)
    elif run.kind != "cuda" and mixed:
        _pretended(sheet, mixed, None)
    elif run.fault is not None:
        _raised(sheet, run, run.fault, mixed)
    else:
        _examined(sheet, run)


def _said_of(run: DeviceRun | None) -> dict[str, str | None]:
    if run is None or not run.ran:
        return {"cuda": "simulated", "name": None}
    if run.kind == "cuda":
        return {"cuda": "ran", "name": run.name}
    # CUDA was only pretended; the name is that of what did run.
    return {"cuda": "simulated", "name": run.name, "kind": run.kind}


def _pretended(sheet: Page, mixed: list[Stray], run: DeviceRun | None) -> None:
    if not mixed:
        detail = say("device-pass")
        if run is not None and run.reason:
            kind = run.kind.upper()
            detail = say("device-no-start", kind=kind, reason=run.reason)
        sheet.set("device", "pass", detail)
        return
    first = mixed[0]
    line = _blame_stray(sheet, first)
    reason = "" if first.fault is None else first.fault.message.split("\n")[0]
    text = say("fail-device", line=line, reason=reason)
    sheet.set("device", "fail", sheet.of(first.of, text))


def _blame_stray(sheet: Page, fault: Stray) -> int | None:
    """Name the mistake that left a tensor on another device, and return its line."""
    line = fault.line
    if fault.kind in {"attribute", "mask"}:
        line = sheet.lines.assignment(fault.name) or line
    unregistered = [
        one.line for one in sheet.report.diagnosis if one.mistake == "parameters-not-registered"
    ]
    if line in unregistered or (unregistered and fault.kind == "parameter"):
        # It is left behind for that reason.
        return line
    if fault.kind == "mask":
        sheet.blame("mask-not-buffer", line)
    else:
        key = {"attribute": "left-behind", "array": "no-array"}.get(fault.kind, "")
        sheet.blame("device-hardcoded", line, key, name=fault.name)
    return line


def _raised(sheet: Page, run: DeviceRun, fault: Raised, mixed: list[Stray]) -> None:
    reason = fault.message.split("\n")[0]
    line = fault.line
    if "same device" in reason or "indexed tensor" in reason:
        line = _blame_stray(sheet, mixed[0] if mixed else Stray(kind="made", line=line))
    text = say("fail-device-raised", name=run.name, line=line, reason=reason)
    sheet.set("device", "fail", text)


def _examined(sheet: Page, run: DeviceRun) -> None:
    if run.findings:
        smallest = min(run.findings, key=lambda finding: finding.trial.weight)
        what = _finding_text(sheet, smallest)
        sheet.set("device", "fail", say("fail-device-finding", name=run.name, what=what))
        if sheet.report.difference is None and smallest.kind != "raised":
            sheet.show(smallest)
    elif run.state is not None:
        what = say(run.state)
        sheet.set("device", "fail", say("fail-device-finding", name=run.name, what=what))
        sheet.blame("nondeterministic", state_line(sheet.source, sheet.report.object or ""))
    elif run.dropout:
        what = say("device-dropout")
        sheet.set("device", "fail", say("fail-device-finding", name=run.name, what=what))
    else:
        sheet.set("device", "pass", _passed(run), run.cases)


def _finding_text(sheet: Page, finding: Finding[Any]) -> Said:
    if finding.gap is None or finding.kind == "gradient":
        return sheet.finding_text(finding)
    off, bound = finding.gap.worst, finding.trial.bound
    return say("fail-dtype-values", dtype=sheet.dtype_of(finding), off=off, bound=bound)


def _passed(run: DeviceRun) -> Said:
    text = say("device-ran", name=run.name, dtypes=", ".join(run.dtypes))
    if run.tf32 is not None:
        text = say("then", first=text, second=say("device-tf32", off=run.tf32))
    if run.kernel_tf32 is not None:
        more = say("device-kernel-tf32", off=run.kernel_tf32)
        text = say("then", first=text, second=more)
    if run.elsewhere is not None:
        reason = run.elsewhere.message.split("\n")[0]
        line = run.elsewhere.line
        more = say("device-elsewhere", place=run.last, line=line, reason=reason)
        text = say("then", first=text, second=more)
    return text
