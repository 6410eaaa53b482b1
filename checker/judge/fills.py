"""What dtypes cannot hold, and where it shows: fills that overflow, and floats of another dtype."""

from __future__ import annotations

import math
from collections import Counter

import torch

from ..diagnose.lines import HALF_MAX
from ..process.requests import Record
from ..process.wire import dtype_name
from ..report.message import say
from .examine import Examination
from .sheet import Sheet
from .trials import Trial

__all__ = ["narrowed", "narrowing", "remark_fills", "remark_rounding"]


def remark_fills(sheet: Sheet, one: Examination) -> None:
    """Remark on the first fill that overflows, or that a step uses and float16 cannot hold."""
    for fault in one.found.half_faults[:1]:
        fill = sheet.lines.fill_on(fault.line)
        sheet.remark("fill-overflows-half", fault.line, fill=fill or say("the-fill"))
    for trial, step in ((t, s) for t in one.seen for s in t.answer.steps if s.line):
        big = [n for n in step.numbers if HALF_MAX < abs(n) < 1e300]
        lowest = torch.finfo(torch.float64).max
        if big and math.isfinite(big[0]) and not any(abs(abs(n) - lowest) < 1e290 for n in big):
            if _in_half(one, trial, step.line):
                sheet.remark("fill-overflows-half", step.line, fill=f"{big[0]:g}")
            return


def remark_rounding(sheet: Sheet, one: Examination) -> None:
    """Remark on what bfloat16 cannot hold, tables of angles and long sums, and on no float64."""
    refused = one.found.refused
    if refused is not None:
        sheet.remark("float64-raises", refused.line, raised=refused.type)
    _tables(sheet, one)
    _sums(sheet, one)


def _tables(sheet: Sheet, one: Examination) -> None:
    """Remark on tables that are rounded with the weights, where that is wrong at far positions."""
    if one.found.rounded:
        kept = ("register_buffer(", "Buffer(", "requires_grad=False")
        lines = (sheet.lines.naming(words) for words in kept)
        sheet.remark("buffer-rounded", next((line for line in lines if line), None))


def _sums(sheet: Sheet, one: Examination) -> None:
    """Remark on sums that stop growing in bfloat16, at the line that adds up most often."""
    long = one.found.stalled
    if long is not None:
        one.write(long, Record())
        steps = one.run([long], long.dtype)[0].steps
        adding = Counter(s.line for s in steps if s.line and "add" in s.call)
        line = adding.most_common(1)[0][0] if adding else None
        sheet.remark("sum-stalls", line)


def _in_half(one: Examination, trial: Trial, line: int | None) -> bool:
    """Whether a line uses a number that float16 cannot hold in float16 too: it may ask first."""
    made = one.recorded([one.trial(trial.case, torch.float16)])
    answers = [half.answer for half in made if half.answer.fault is None]
    steps = [step for each in answers for step in each.steps if step.line == line]
    # It may work in float32 whatever it is given.
    narrow = any(step.dtype == "float16" for step in steps)
    return not answers or (narrow and any(abs(n) > HALF_MAX for s in steps for n in s.numbers))


def narrowing(one: Examination, trial: Trial) -> int | None:
    """The line of a call that first makes floats of another dtype than its inputs', if any does."""
    return next(iter(narrowed(one, trial)), None)


def narrowed(one: Examination, trial: Trial) -> list[int]:
    """The lines that lead to that call, the innermost first."""
    floats = {"float64", "float32", "bfloat16", "float16"} - {dtype_name(trial.dtype)}
    steps = one.again(trial).answer.steps
    return next((s.lines for s in steps if s.dtype in floats and s.lines), [])
