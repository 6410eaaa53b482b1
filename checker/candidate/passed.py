"""In the candidate's process: which lines of the submission a call comes to."""

from __future__ import annotations

import sys
from types import FrameType
from typing import Any

__all__ = ["Passed"]

# Bound before any submission runs: what it puts in their place is its own affair.
_gettrace, _settrace = sys.gettrace, sys.settrace


class Passed:
    """Notes the lines of one file that run inside it, in this thread. path: the file's."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.lines: set[int] = set()
        self.before: Any = None

    def __enter__(self) -> None:
        self.before = _gettrace()
        _settrace(self._called)

    def __exit__(self, *_: object) -> None:
        _settrace(self.before)

    def _called(self, frame: FrameType, _: str, __: Any) -> Any:
        return self._ran if frame.f_code.co_filename == self.path else None

    def _ran(self, frame: FrameType, event: str, _: Any) -> Any:
        if event == "line":
            self.lines.add(frame.f_lineno)
        return self._ran
