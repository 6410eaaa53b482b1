"""What else is wrong beneath mistakes that were named: beside the mistaken model answer.

Dropout and large scores are judged against the right answer, which code with another mistake
never reaches. The edited answer that gives its numbers is the answer here: what still departs
from that is a mistake of its own.
"""

from __future__ import annotations

import copy
from contextlib import suppress

import torch
from torch import Tensor

from ...kata.slips import Edit
from ..process.requests import Record
from ..report.report import Report
from .draw import cases, small
from .dropout_verdict import judge_dropout
from .page import Page
from .training import read_training
from .truth import FAULTS, answers
from .weighing import Weighing

__all__ = ["beneath"]

_POWERS = {"exp", "exp2", "pow", "float_power"}


def beneath(page: Page, one: Weighing, edits: tuple[Edit, ...], wanted: str) -> None:
    """Blame what is left beside the edits that explain a class. wanted: of dropout."""
    edited = answers(one.kata, edits)
    if edited is None or not edits:
        return
    other = copy.copy(one)
    other.right = edited[one.function.name]
    for look in (lambda: _dropout(page, other, wanted), lambda: _unstable(page, other)):
        # A mistaken answer may refuse sizes that the right one takes.
        with suppress(*FAULTS):
            look()


def _dropout(page: Page, one: Weighing, wanted: str) -> None:
    """Blame a dropout that is missing, in the wrong place or at another rate."""
    case = next(small(one.function, one.sizes, mask=one.function.needs_mask))
    first = one.trial(case)
    found = read_training(one, first)
    if found.place in {"none", "unknown"} and found.calls == [] and wanted != "required":
        return
    apart = Report(kata=one.kata.id, file="", verdict="fail", object=page.report.object)
    sheet = Page(apart, page.source, one.kata.asked)
    judge_dropout(sheet, wanted, found, one.shown.modules)
    for told in apart.diagnosis:
        if not page.blames(told.mistake):
            page.report.diagnosis.append(told)


def _unstable(page: Page, one: Weighing) -> None:
    """Blame a softmax that overflows where the edited answer does not."""
    if not one.function.large or page.blames("softmax-unstable"):
        return
    many = (case for case in cases(one.function, one.sizes) if case.gain > 1)
    trials = [one.trial(case) for case in many if case.mask in {None, "random"}]
    for trial in trials:
        one.write(trial, Record())
    for trial, answer in zip(trials, one.run(trials), strict=True):
        out = trial.results(answer)
        lines = [s.line for s in answer.steps if s.call.strip("_") in _POWERS]
        right = trial.expected[0]
        if not lines or not out or out[0].shape != right.shape:
            continue
        # A row with nothing to attend to may come out as it likes.
        keep = trial.kept(right)
        if not _finite(out[0], keep) and _finite(right, keep):
            page.blame("softmax-unstable", lines[0])
            return


def _finite(tensor: Tensor, keep: Tensor | None) -> bool:
    return bool(torch.isfinite(tensor if keep is None else tensor[keep]).all())
