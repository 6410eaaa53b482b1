"""What a submission has used, measured while the judge waits for it.

Its processor time is what is limited. It may also sleep or wait for as long, no longer; and
where a busy machine gives it nothing, a far limit on the clock ends the waiting. What the judge
works out meanwhile counts for none of them.
"""

from __future__ import annotations

import time

from . import process_tree, wire
from .limits import Limits

__all__ = ["Meter"]

# How often it is looked at, in seconds.
_TICK = 0.05
# How much longer it is waited for by the clock: a machine may have a dozen things to do beside
# it. Where nobody tells who sleeps, this is what ends a sleep.
_FAR, _UNTOLD = 20, 3


class Meter:
    """One submission's use of its time, which runs from here on.

    root: the process that all of the submission's descend from, None where it is not known.
    far: for how many seconds it is waited for, however little it was given. exceeded: the limit
    that was passed: processor, idle, or nothing for the far one.
    """

    def __init__(self, limits: Limits, root: int | None) -> None:
        self.limits = limits
        self.root = root
        self.far = limits.seconds * (_FAR if process_tree.TELLS else _UNTOLD)
        self.waited = self.idle = 0.0
        self.exceeded = ""
        self.before = self._processor()
        self.looked = time.monotonic()

    def left(self) -> float:
        """Return for how long to wait before the next look. Raise TooLate at a limit."""
        if time.monotonic() - self.looked >= _TICK:
            self.looked = time.monotonic()
            if self._processor() - self.before > self.limits.seconds:
                self._exceed("processor")
        if self.idle > self.limits.seconds:
            self._exceed("idle")
        if self.waited > self.far:
            self._exceed("")
        return _TICK

    def note(self, seconds: float, *, in_vain: bool) -> None:
        """Count a wait, in vain where nothing had come by its end."""
        self.waited += seconds
        if in_vain and self.root is not None and process_tree.asleep(self.root):
            self.idle += seconds

    def _processor(self) -> float:
        return 0.0 if self.root is None else process_tree.processor_below(self.root)

    def _exceed(self, limit: str) -> None:
        self.exceeded = limit
        raise wire.TooLate
