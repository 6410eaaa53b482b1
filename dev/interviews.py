"""Fill the screens of docs/interview.md with what an interview shows.

A screen is a comment that names it and its language, and the block of text after it::

    <!-- interview: brief en -->
    ```text
    ...
    ```

`python -m attn_kata.dev.interviews docs/interview.md` holds one interview a language on a
screen of 80 by 24, with the real judge and a clock that this turns, and takes the screens on
the way. With `--check` nothing is written, and the exit status is 1 where one is out of date.
"""

from __future__ import annotations

import asyncio
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..practice.interview import clock, opening
from ..practice.interview.conduct import Interview
from ..practice.interview.judging import Examiner
from ..practice.interview.result import result_of
from ..practice.interview.store import Store
from ..practice.record import Recorder
from ..practice.workspace import Workspace
from ..terminal.interview.app import InterviewApp
from ..terminal.interview.result import result_lines
from ..terminal.text import written
from .screens import refill

__all__ = ["filled", "main", "screens"]

_SCREEN = re.compile(r"<!-- interview: (?P<name>\w+ \w+) -->\n```text\n(.*?)```\n", re.DOTALL)
_EXAMPLES = Path(__file__).parent.parent / "examples"
_ASKED = {"en": "is there a mask, and what does 1 mean?", "zh": "有 mask 吗？1 是什么意思？"}
_SEED = 4


class _Hands:
    """A clock that stands until it is turned."""

    def __init__(self) -> None:
        # Far ahead, so that no file of today was saved after an interview's end.
        self.now = clock.Reading(wall=4e9, steady=1e3, awake=1e3, boot="docs")

    def read(self) -> clock.Reading:
        """Stand in for `clock.read`."""
        return self.now

    def turn(self, seconds: float) -> None:
        """Let time pass."""
        now = self.now
        self.now = replace(
            now, wall=now.wall + seconds, steady=now.steady + seconds, awake=now.awake + seconds
        )


def screens(language: str) -> dict[str, str]:
    """Hold an interview and return its screens: brief, clock, withheld and result."""
    hands = _Hands()
    real, clock.read = clock.read, hands.read
    try:
        with tempfile.TemporaryDirectory() as folder, Examiner() as examiner:
            work = Path(folder)
            store = Store(work / "home")
            session = opening.begin(
                store, plan="mha", level="junior", minutes=None, seed=_SEED, practice=False
            )
            led = Interview(
                session, store, examiner, language=language, folder=work,
                recorder=Recorder(Workspace(work / "home"), "interview"),
            )  # fmt: skip
            shown = asyncio.run(_held(led, hands, language))
    finally:
        clock.read = real
    rows = [written(line) for line in result_lines(result_of(led.session), language, 80)]
    return {**shown, "result": _text(rows)}


async def _held(led: Interview, hands: _Hands, language: str) -> dict[str, str]:
    """Act a candidate who asks, writes a wrong head and is told one sentence."""
    app = InterviewApp(led, language)
    shown: dict[str, str] = {}
    async with app.run_test(size=(80, 24)) as pilot:

        async def settled() -> None:
            await app.workers.wait_for_complete()
            await pilot.pause()
            await pilot.pause()

        async def say(line: str) -> None:
            app.answer(line)
            await settled()

        await settled()
        shown["brief"] = _text(_rows(app))
        await say(_ASKED[language])
        await say("start")
        hands.turn(95)
        app.look()
        await settled()
        shown["clock"] = _text(_rows(app))
        await say("skip")
        hands.turn(700)
        source = (_EXAMPLES / "wrong_mha.py").read_text("utf-8")
        Path(led.session.file).write_text(source, "utf-8")
        await say("submit")
        shown["withheld"] = _text(_rows(app))
        hands.turn(240)
        source = (_EXAMPLES / "right_mha.py").read_text("utf-8")
        Path(led.session.file).write_text(source, "utf-8")
        await say("submit")
        hands.turn(120)
        while (put := led.session.put) is not None:
            asked = put.asked(language)
            lines = [""] if asked.exact else [asked.answer, "", "0"]
            for line in lines:
                # Where every point was heard there is nothing left to tick.
                if led.session.put is put:
                    await say(line)
        hands.turn(2000)
        app.look()
        await settled()
    return shown


def _rows(app: InterviewApp) -> list[str]:
    # What Textual has composed; there is no other way to a screen's text.
    strips: list[Any] = app.screen._compositor.render_strips()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage]
    return ["".join(segment.text for segment in strip) for strip in strips]


def _text(rows: Sequence[str]) -> str:
    return "".join(f"{row.rstrip()}\n" for row in rows)


def filled(text: str) -> str:
    """Return a text with every screen as the interview shows it now."""
    held: dict[str, dict[str, str]] = {}

    def fill(match: re.Match[str]) -> str:
        name, language = match["name"].split()
        if language not in held:
            held[language] = screens(language)
        return f"<!-- interview: {match['name']} -->\n```text\n{held[language][name]}```\n"

    return _SCREEN.sub(fill, text)


def main(arguments: Sequence[str] | None = None) -> int:
    """Fill the screens of the files named, or check them; return the exit status."""
    return refill(lambda text, _: filled(text), arguments)


if __name__ == "__main__":
    sys.exit(main())
