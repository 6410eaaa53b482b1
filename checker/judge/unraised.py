"""What raised in its first call, judged with each small edit with which it does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from ..diagnose.edits.small_edits import SmallEdit
from ..process.handle import Candidate, Ended, Foul
from ..report.report import Report
from .checks import try_all
from .examine import Examination
from .likely import PART, allow, likely, provable
from .mended import is_idle, tell
from .refusals import Refused
from .retried import running
from .source import Source
from .trials import Finding

__all__ = ["Raising", "mend"]

# How many edits are judged, and for how many seconds of processor time each.
_JUDGED, _SECONDS = 2, 2.0
# Exceptions that one expression may be to blame for; of a name there is more to say.
_OF_TENSORS = {"RuntimeError", "IndexError", "ValueError"}


class Raising(NamedTuple):
    """What raised in its plainest call, and what is said of it."""

    one: Examination
    finding: Finding
    refused: Refused


def mend(
    raising: Raising, source: Source, report: Report, run: Callable[[str], Candidate],
    again: Callable[[], Sequence[Examination]],
) -> None:  # fmt: skip
    """Tell of the first edit with which all is right, if there is one.

    run: has a text run in the file's place from now on. again: examines all that is written anew.
    """
    fault = raising.finding.fault
    if fault is None or fault.line is None or fault.type not in _OF_TENSORS:
        return
    if not provable(raising.one, source):
        return
    found = _unraised(raising, fault.line, source, run)
    if fault.phase == "construct":
        # What sets a weight's numbers is not one too many, though others are put there.
        found = (one for one in found if not is_idle(one.applied(source.text), one.line))
    for edit in [*islice(found, _JUDGED)]:
        # What ends it, or what it reaches for, is no finding.
        with suppress(Ended, Foul):
            allow(run(edit.applied(source.text)), _SECONDS)
            if all(map(_right, again())):
                tell(edit, source, report, raising.refused.diagnosis, fault.line)
                return


def _unraised(
    raising: Raising, line: int, source: Source, run: Callable[[str], Candidate]
) -> Iterator[SmallEdit]:
    """The edits behind a line with which the call gives something as large as it ought to be."""
    with suppress(Ended, Foul):
        # The process that it was tried in may be gone.
        raising.one.candidate = run(source.text)
        allow(raising.one.candidate)
        edits = likely(raising.one, source, [line])
        while part := [*islice(edits, PART)]:
            yield from running(raising.one, raising.finding.trial, part)


def _right(one: Examination) -> bool:
    """Try all of a function or class."""
    if one.bind() is not None or one.bound is None:
        return False
    try_all(one)
    return not one.found.findings
