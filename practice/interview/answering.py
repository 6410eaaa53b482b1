"""The part of the interview in which questions are answered, and the answers judged."""

from __future__ import annotations

from collections.abc import Sequence

from . import exact
from .coding import Coding
from .commands import ticks_in
from .model import Model, NotRead
from .questions import Asked, drilled
from .reading.concepts import says_nothing
from .reading.points import heard, is_empty, touches
from .said import Said, note
from .session import Put

__all__ = ["Answering"]


class Answering(Coding):
    """What the interviewer does with the candidate's answers.

    model: the candidate's own that reads them, if one was named. unread: why it did not.
    """

    model: Model | None = None
    unread: str = ""

    def again(self, put: Put) -> list[Said]:
        """Put a question, or where it was answered, show what was heard."""
        asked = put.asked(self.language)
        if put.answered and put.made is not None:
            return self._points(put, asked)
        key = f"interview-how-to-{asked.kind}" if asked.exact else "interview-how-to-answer"
        return [Said(kind="question", text=asked.ask, rows=self._options(asked)), note(key)]

    def answering(self, put: Put, text: str, *, more: bool) -> list[Said]:
        """Take a line of an answer, its end, or the ticks after it."""
        if put.answered:
            return self._ticking(put, text)
        asked = put.asked(self.language)
        if asked.exact:
            return self._exact(put, asked, text)
        if text.strip() or more:
            self._add("wrote", line=text)
            return []
        if not put.text or says_nothing(put.text):
            return self.nothing(put)
        self._add("answered")
        self._read(put)
        if put.made is not None and all(put.made):
            self._close(put, ())
        return self._points(put, asked)

    def nothing(self, put: Put) -> list[Said]:
        """Take it that a question is not answered."""
        asked = put.asked(self.language)
        self._add("answered")
        self._add("read", points=[False] * max(1, len(asked.points)), reader="none", quotes=[])
        self._close(put, ())
        if asked.exact:
            return [note("interview-no-answer"), self._right_is(asked)]
        return [note("interview-no-answer"), *self._points(put, asked)]

    def _exact(self, put: Put, asked: Asked, text: str) -> list[Said]:
        if not text.strip():
            return self.nothing(put)
        if not exact.understood(asked, text):
            if exact.given_up(text):
                return self.nothing(put)
            return [note(f"interview-how-to-{asked.kind}")]
        right = exact.is_right(asked, text, self.session.seed)
        self._add("wrote", line=text)
        self._add("answered")
        self._add("read", points=[right], reader="exact", quotes=[])
        self._close(put, ())
        if right:
            return [Said(kind="say", key="interview-exact-right"), _why(asked)]
        return [Said(kind="say", key="interview-exact-wrong"), self._right_is(asked)]

    def _right_is(self, asked: Asked) -> Said:
        """Say what was right, where the reason alone does not, and why."""
        if not asked.options:
            return _why(asked)
        rows = [asked.options[int(at)] for at in asked.expected]
        text = f"{' → '.join(rows)}\n\n{asked.answer}"
        return Said(kind="speech", text=text)

    def _options(self, asked: Asked) -> tuple[str, ...]:
        order = exact.shown(asked, self.session.seed)
        names = exact.letters(len(order))
        return tuple(f"{name}  {asked.options[at]}" for name, at in zip(names, order, strict=True))

    def _read(self, put: Put) -> None:
        """Have an answer read: by the model that the candidate named, or by its words."""
        read = self._by_model(put)
        if read is None:
            self._add("read", points=list(heard(put.name, put.text)), reader="words", quotes=[])

    def _by_model(self, put: Put) -> bool | None:
        """Have the model read an answer; None where there is none, or it does not read."""
        if self.model is None or is_empty(put.name, put.text):
            return None
        try:
            reading = self.model.read(put.asked(self.language), put.text)
        except NotRead as fault:
            self.unread = str(fault)
            return None
        quotes = [
            quote if quote and touches(put.name, at, quote) else ""
            for at, quote in enumerate(reading.quotes)
        ]
        made = [bool(quote) for quote in quotes]
        self._add("read", points=made, reader=self.model.called, quotes=quotes)
        return True

    def _points(self, put: Put, asked: Asked) -> list[Said]:
        made = put.made or ()
        values = {"trap": asked.trap, "source": asked.source, "made": made}
        shown = Said(kind="points", text=asked.answer, rows=asked.points, values=values)
        if put.closed:
            return [shown]
        had = {"had": sum(made), "count": len(asked.points)}
        told = [note("interview-unread", reason=self.unread)] if self.unread else []
        self.unread = ""
        return [shown, *told, note("interview-heard", **had), note("interview-how-to-tick")]

    def _ticking(self, put: Put, text: str) -> list[Said]:
        count = len(put.asked(self.language).points)
        ticked = ticks_in(text, count)
        if ticked is None:
            return [note("interview-tick-numbers", count=count)]
        self._close(put, ticked)
        own = [at for at in ticked if not (put.made or ())[at - 1]]
        return [note("interview-ticked", had=len(own), count=count)] if own else []

    def _close(self, put: Put, ticked: tuple[int, ...]) -> None:
        """Have done with a question; what was missed is asked again, when `questions` is due."""
        self._add("ticked", points=list(ticked))
        bank, _, name = put.name.partition(":")
        if drilled(put.name):
            self.recorder.rated(bank, name, _rating(put.made or ()))


def _rating(made: Sequence[bool]) -> str:
    """Rate an answer by the points that were heard in it; what was ticked alone counts for none."""
    if made and all(made):
        return "good"
    return "hard" if sum(made) * 2 >= len(made) > 0 else "again"


def _why(asked: Asked) -> Said:
    return Said(kind="speech", text=asked.answer)
