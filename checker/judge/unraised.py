"""What raised in its first call, judged with each small edit with which it does not."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from itertools import islice
from typing import NamedTuple

from ..process.handle import Ended, Foul
from ..report.report import Diagnosis, Report
from .checks import try_all
from .examine import Examination
from .mended import running, tell
from .source import Source
from .trials import Finding

__all__ = ["Raising", "mend"]

# How many edits are judged, and for how many seconds of processor time each.
_JUDGED, _SECONDS = 2, 2.0
# Exceptions that one expression may be to blame for; of a name there is more to say.
_OF_TENSORS = {"RuntimeError", "IndexError", "ValueError"}


class Raising(NamedTuple):
    """What raised in its plainest call. again: makes another examination of it."""

    one: Examination
    finding: Finding
    again: Callable[[], Examination]


def mend(
    raising: Raising, source: Source, report: Report, named: list[Diagnosis],
    run: Callable[[str], None],
) -> None:  # fmt: skip
    """Tell of the first edit with which all is right, if there is one.

    named: what is told of it by name. run: has a text run in the file's place from now on.
    """
    fault = raising.finding.fault
    if fault is None or fault.line is None or fault.type not in _OF_TENSORS:
        return
    edits = [*islice(running(raising.one, raising.finding.trial, fault.line, source), _JUDGED)]
    for edit in edits:
        # What ends it, or what it reaches for, is no finding.
        with suppress(Ended, Foul):
            run(edit.applied(source.text))
            one = raising.again()
            one.candidate.allow(replace(one.candidate.limits, seconds=_SECONDS))
            if one.bind() is None and one.bound is not None:
                try_all(one)
                if not one.found.findings:
                    tell(edit, source, report, named, fault.line)
                    return
