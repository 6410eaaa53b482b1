"""When edits of a submission are tried: before several mistakes are looked for, and at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ..diagnose.flow import Flow
from ..process.handle import Candidate
from .examine import Examination
from .mended import BACKWARD_WRONG, prove
from .own_backward import by_hand, mended_without
from .page import Page
from .source import Source

__all__ = ["Proving"]


class Proving:
    """The edits of one file: several mistakes take long to find, and what one mends is not several.

    flow: a call that goes wrong. run: starts a process with a text in the file's place, if any.
    """

    def __init__(
        self, page: Page, all_of: Sequence[Examination], source: Source,
        flow: Flow | None, run: Callable[[str], Candidate],
    ) -> None:  # fmt: skip
        self.page, self.all_of, self.source = page, all_of, source
        self.flow, self.run = flow, run
        self.tried = False

    def alone(self, one: Examination) -> bool:
        """Whether one edit mends all that is wrong, if it is this function that is."""
        wrong = [each for each in self.all_of if each.found.findings]
        if self.tried or self.page.report.diagnosis or wrong[:1] != [one]:
            return False
        self.tried = True
        edit = prove(self.page, self.all_of, self.source, self.flow)
        self._renew()
        # A number that is put beside a name may take two mistakes back at once.
        return edit is not None and edit.renumbered() is None

    def without_backward(self, one: Examination) -> bool:
        """Say of a backward pass by hand that it is wrong, where without it all is right."""
        some = by_hand(one, self.source)
        if not some:
            return False
        proved = mended_without(one, self.source, some)
        self._renew()
        if proved is not None:
            function, backward = proved
            self.page.blame(BACKWARD_WRONG, backward.body[-1].lineno, name=function.name)
        return proved is not None

    def _renew(self) -> None:
        """Begin anew: an edit may have left nothing of the process, or anything in it."""
        candidate = self.run("")
        for each in self.all_of:
            each.candidate = candidate

    def finish(self) -> None:
        """Try what was named; what has no name, unless that was tried."""
        if self.page.report.diagnosis:
            self.page.report.mended = None
        elif self.tried:
            return
        prove(self.page, self.all_of, self.source, self.flow)
