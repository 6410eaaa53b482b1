"""Code that keeps something between calls: it goes wrong after others alone."""

from __future__ import annotations

from collections.abc import Sequence

from ..diagnose.giveaways import kept_line
from ..process.handle import Candidate
from .examine import Examination
from .source import Source

__all__ = ["keeps", "right_alone"]


def keeps(source: Source, one: Examination) -> bool:
    """Whether a file has a place where something may stay for the next call unasked.

    What a class keeps that has a state to hand back is told of as that.
    """
    function = one.function
    return not (function.module and function.state) and kept_line(source.tree) is not None


def right_alone(one: Examination, all_: Sequence[Examination], fresh: Candidate) -> bool:
    """Make the smallest call that went wrong the first of a process and an object; judge it again.

    all_: what is asked from now on in that process. Where the call is right there, others before
    it made it wrong, which is noted.
    """
    for each in all_:
        each.candidate = fresh
    found = (f for check, many in one.found.findings.items() if check != "dtypes" for f in many)
    trial = min((finding.trial for finding in found), key=lambda trial: trial.weight, default=None)
    if trial is None or trial.judge(one.run([trial])[0]) is not None:
        return False
    # What is known of it already says more.
    one.found.state = one.found.state or "fail-state"
    return True
