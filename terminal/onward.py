"""The commands that judge a report's file again, as they are typed."""

from __future__ import annotations

from collections.abc import Sequence

from ..checker import Report
from .text import quoted

__all__ = ["again", "watching"]


def again(report: Report, typed: Sequence[str]) -> str:
    """Return the command that judges the same file on the same inputs."""
    return _command("check", report.kata, report.file, *typed, "--seed", str(report.seed))


def watching(report: Report, typed: Sequence[str]) -> str:
    """Return the command that judges the same file at every save."""
    return _command("watch", report.kata, report.file, *typed)


def _command(*words: str) -> str:
    return " ".join(("attn-kata", *map(_argument, words)))


def _argument(part: str) -> str:
    # A hyphen alone is standard input.
    return part if part == "-" or part.startswith("--") else quoted(part)
