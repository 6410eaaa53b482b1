"""The dtype of what comes back: that of the floats that were given, in float32 and float64."""

from __future__ import annotations

from ..process.wire import dtype_name
from ..report.message import say
from .examine import Examination
from .fills import narrowing
from .page import Page

__all__ = ["judge_dtype"]


def judge_dtype(page: Page, one: Examination) -> None:
    """Say where floats come back in another dtype, and on which line that begins."""
    trial = one.found.narrowed
    if trial is None:
        return
    out = trial.results(trial.answer)[0]
    told = {"dtype": dtype_name(trial.dtype), "narrowed": dtype_name(out.dtype)}
    page.fail(one, "dtypes", say("dtype-narrowed", **told))
    page.blame("dtype-hardcoded", narrowing(one, trial), "dtype-narrowed", **told)
