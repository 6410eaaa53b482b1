"""The commands to go on with after a report, as they are typed."""

from __future__ import annotations

from collections.abc import Sequence

from ..checker import Report
from .text import quoted
from .words import say

__all__ = ["again", "claiming", "watching"]

# The kinds of error that no input has a part in.
_UNRUN = {"syntax", "load", "no-class"}


def again(report: Report, typed: Sequence[str]) -> str:
    """Return the command that judges the same file on the same inputs."""
    # What was never run is judged the same on any inputs.
    unrun = report.unfinished or (report.error is not None and report.error.kind in _UNRUN)
    seed = () if unrun else ("--seed", str(report.seed))
    return _command("check", report.kata, report.file, *typed, *seed)


def watching(report: Report, typed: Sequence[str]) -> str:
    """Return the command that judges the same file at every save."""
    return _command("watch", report.kata, report.file, *typed)


def claiming(language: str) -> str:
    """Return the command that claims one of an exercise's bugs."""
    return f'attn-kata debug --say "{say("claim-form", language)}"'


def _command(*words: str) -> str:
    return " ".join(("attn-kata", *map(_argument, words)))


def _argument(part: str) -> str:
    # A hyphen alone is standard input.
    return part if part == "-" or part.startswith("--") else quoted(part)
