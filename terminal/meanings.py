"""Under which other meaning of the mask a submission would be judged right, perhaps."""

from __future__ import annotations

from collections.abc import Sequence

from ..checker import Report
from .words import say

__all__ = ["other_meanings"]

# Mistakes that are none where the mask was meant otherwise.
_MISTAKES = ("mask-inverted", "mask-added")


def other_meanings(report: Report, language: str, commands: Sequence[tuple[str, str]]) -> list[str]:
    """Say which option judges so, where commands can be typed and none has one already."""
    if not commands or any("--mask" in command for _, command in commands):
        return []
    told = {one.mistake for one in report.diagnosis}
    return [say(f"meant-{name}", language) for name in _MISTAKES if name in told]
