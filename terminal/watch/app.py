"""The watch screen: one view at a time, what happens to the file, and what the keys do.

prompt_toolkit reads the keys, keeps the screen apart from what was on the terminal before, and
puts the terminal back however the program ends.
"""

from __future__ import annotations

import asyncio
import signal
import sys
import termios
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from prompt_toolkit.application import Application
from prompt_toolkit.buffer import Buffer
from prompt_toolkit.filters import Condition
from prompt_toolkit.input import Input
from prompt_toolkit.layout import ConditionalContainer, Dimension, HSplit, Layout, Window
from prompt_toolkit.layout.controls import BufferControl, FormattedTextControl
from prompt_toolkit.layout.processors import BeforeInput
from prompt_toolkit.output import Output

from ...kata.catalogue import Kata
from ...practice import clock
from ...practice.errors import Refusal
from ...practice.schedule import Standing
from ..look import Look
from ..screen import WIDEST, Screen, hush
from ..text import Line, fold, safe
from ..times import seconds_taken
from ..usage import refused
from .chooser import Chooser
from .colours import colour_depth, drawn, style
from .frame import foot_lines, framed
from .keys import bindings
from .rounds import Rounds
from .views import VIEWS, farewell_lines, keys_lines

__all__ = ["WatchApp"]

# Seconds that the rest of a key's sequence may take to come: a slow line cuts them.
_REST_OF_KEY = 0.15
_HOME, _END = -(1 << 20), 1 << 20

Key = tuple[str, str, Callable[[], None]]


class WatchApp:
    """The screen and keys around the rounds. Input and output are the terminal's."""

    def __init__(
        self, screen: Screen, rounds: Rounds, source: Input | None = None,
        output: Output | None = None,
    ) -> None:  # fmt: skip
        self.screen = screen
        self.rounds = rounds
        self.view = "verdict"
        self.offset = 0
        self.page = 1
        self.refusal: list[Line] = []
        self.chooser = Chooser()
        self.standings: Mapping[str, Standing] = {}
        self.body: list[Line] = []
        self.foot: list[Line] = []
        self.listening: list[int] = []
        self.timer: asyncio.TimerHandle | None = None
        self.filter = Buffer(multiline=False, on_text_changed=self._narrowed)
        self.app: Application[BaseException | None] = Application(
            layout=self._layout(),
            key_bindings=bindings(self),
            style=style(),
            color_depth=colour_depth(screen),
            full_screen=True,
            before_render=self._compose,
            # A resize is told by a signal: nothing has to be looked at meanwhile.
            terminal_size_polling_interval=None,
            input=source,
            output=output,
        )
        self.app.ttimeoutlen = _REST_OF_KEY

    def run(self) -> None:
        """Show the screen until the person leaves; raise what ended it otherwise."""
        try:
            ending = self.app.run(pre_run=self._begin, set_exception_handler=False)
        except (EOFError, OSError):
            if not _terminal_is_gone():
                raise
            ending = SystemExit(128 + signal.SIGHUP)
        if not isinstance(ending, SystemExit):
            self.screen.print(farewell_lines(self.rounds, self._look(self.screen.width)))
        elif _terminal_is_gone():
            hush(sys.stdout, sys.stderr)
        if ending is not None:
            raise ending

    def suspend(self) -> None:
        """Hand the terminal back to the shell until it wakes the program again."""
        self.app.suspend_to_background()

    def redraw(self) -> None:
        """Draw all of the screen anew, whatever another program left on it."""
        # Not its `clear`, which goes back to the screen before this one and empties that.
        self.app.renderer.erase(leave_alternate_screen=False)
        self.app.output.erase_screen()
        self.app.output.cursor_goto()
        self.app.invalidate()

    def leave(self, ending: BaseException | None = None) -> None:
        """End the screen."""
        if self.app.is_running and not self.app.is_done:
            self.app.exit(result=ending)

    # What happens.

    def _begin(self) -> None:
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(self._failed)
        for number in (signal.SIGTERM, signal.SIGHUP):
            # One that whoever started the program has it ignore stays ignored.
            if signal.getsignal(number) is not signal.SIG_IGN:
                loop.add_signal_handler(number, self.leave, SystemExit(128 + number))
        loop.add_signal_handler(signal.SIGCONT, self._continued)
        self._listen()

    def _continued(self) -> None:
        """Take the terminal back from the shell, whatever stopped the program."""
        # Left when the screen is: what it restores is then the outer mode's to restore.
        self.app.input.raw_mode().__enter__()
        self.redraw()

    def _failed(self, _: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """End with what went wrong, on a terminal that can show it."""
        self.leave(context.get("exception") or RuntimeError(context["message"]))

    @contextmanager
    def acting(self) -> Generator[None]:
        """Do something that may end a check or begin another; then listen to those there are."""
        self._turn_deaf()
        yield
        self._listen()
        self.app.invalidate()

    def _turn_deaf(self) -> None:
        # Before a descriptor is closed: its number may be the next one's.
        for number in self.listening:
            asyncio.get_running_loop().remove_reader(number)
        self.listening.clear()
        if self.timer is not None:
            self.timer.cancel()

    def _listen(self) -> None:
        loop = asyncio.get_running_loop()
        for source in self.rounds.sources():
            self.listening.append(source.fileno())
            loop.add_reader(source.fileno(), self._happened)
        wait = self.rounds.wait()
        self.timer = None if wait is None else loop.call_later(wait, self._happened)

    def _happened(self) -> None:
        gone = self.rounds.session.gone
        with self.acting():
            judged = self.rounds.step(0)
            if judged or self.rounds.session.gone != gone:
                self.back()

    # What the keys do.

    def keys(self) -> list[Key]:
        """Return the keys that work now: key, word and what it does."""
        if self.view == "list":
            back = ("b", "key-back", self.back)
            return [("/", "key-filter", self.begin_filter), back, *self._always()]
        rounds, found = self.rounds, list[Key]()
        report = rounds.session.report
        if self.view != "verdict":
            found.append(("b", "key-back", self.back))
        elif rounds.outcome is not None and rounds.outcome.following is not None:
            found.append(("n", "key-next", self._next))
        if not rounds.session.gone:
            found.append(("r", "key-run", self._run))
        if self.view == "verdict":
            found.append(("b", "key-brief", self._shower("brief")))
        if rounds.mistake is not None:
            found.append(("w", "key-why", self._shower("why")))
        if rounds.may_hint(self.screen.language):
            found.append(("h", "key-hint", self._hint))
        if report is not None and report.trace:
            found.append(("t", "key-trace", self._shower("trace")))
        if report is not None and report.heat is not None:
            found.append(("e", "key-heat", self._shower("heat")))
        found.append(("s", "key-solution", self._solution))
        return [*found, ("l", "key-list", self._list), *self._always()]

    def _always(self) -> list[Key]:
        return [("q", "key-quit", self.leave), ("?", "key-keys", self._shower("keys"))]

    def press(self, key: str) -> None:
        """Do what a key is for now; nothing, where it is for nothing."""
        actions = {name: action for name, _, action in self.keys()}
        if key in actions:
            with self.acting():
                self._tried(actions[key])

    def show(self, view: str) -> None:
        """Show a view from its beginning."""
        self.view, self.offset, self.refusal = view, 0, []
        self.end_filter()

    def back(self) -> None:
        """Show the verdict."""
        self.show("verdict")

    def move(self, lines: int = 0, *, pages: int = 0) -> None:
        """Scroll the view; in the list, mark another kata."""
        steps = lines + pages * self.page
        if self.view == "list":
            self.chooser.move(steps)
        else:
            self.offset = max(0, self.offset + steps)

    def to_end(self, *, last: bool) -> None:
        """Go to the beginning of the view, or to its end."""
        self.move(_END if last else _HOME)

    def enter(self) -> None:
        """Open the marked kata."""
        chosen = self.chooser.chosen
        if self.view == "list" and chosen is not None:
            with self.acting():
                self._tried(lambda: self._open(chosen))

    def begin_filter(self) -> None:
        """Type what the list is to hold."""
        self.app.layout.focus(self.filter)

    def escape(self) -> None:
        """Go back a step: from the filter to the list, from any view to the verdict."""
        if self._filtering():
            self.end_filter()
        else:
            self.back()

    def end_filter(self) -> None:
        """Show the whole list again."""
        self.filter.reset()
        self.chooser.narrow("")
        self.app.layout.focus(self.main)

    def _narrowed(self, _: Buffer) -> None:
        self.chooser.narrow(self.filter.text)

    def _tried(self, action: Callable[[], None]) -> None:
        """Do something; where it cannot be done, say so and stay."""
        try:
            action()
        except Refusal as refusal:
            self.show("refusal")
            self.refusal = refused(refusal, self.screen)

    def _open(self, kata: Kata) -> None:
        self.rounds.go_to(kata)
        self.back()

    def _next(self) -> None:
        self.rounds.go_on()
        self.back()

    def _run(self) -> None:
        self.rounds.again()
        self.back()

    def _shower(self, view: str) -> Callable[[], None]:
        return lambda: self.show(view)

    def _list(self) -> None:
        self.show("list")
        self.chooser.open(self.rounds.kata)
        self.standings = self.rounds.standings()

    def _hint(self) -> None:
        self.rounds.take_hint(self.screen.language)
        self.show("hint")

    def _solution(self) -> None:
        if self.rounds.passed or self.view == "spoil":
            self.rounds.recorder.spoiled(self.rounds.kata.id)
            self.show("solution")
        else:
            self.show("spoil")

    # What is on the screen.

    def _layout(self) -> Layout:
        def rows(lines: Callable[[], list[Line]]) -> FormattedTextControl:
            return FormattedTextControl(lambda: drawn(lines()), focusable=True, show_cursor=False)

        self.main = Window(rows(lambda: self.body))
        foot = Window(rows(lambda: self.foot), height=lambda: Dimension.exact(len(self.foot)))
        typed = BufferControl(self.filter, input_processors=[BeforeInput("/")])
        line = ConditionalContainer(Window(typed, height=1), Condition(self._filtering))
        return Layout(HSplit([self.main, line, foot]), focused_element=self.main)

    def _compose(self, _: object) -> None:
        """Draw anew what is to be seen, for the size that the terminal has now."""
        size = self.app.output.get_size()
        width = max(20, min(size.columns, WIDEST))
        look = self._look(width)
        named = [(key, self.screen.say(word)) for key, word in self._named()]
        self.foot = foot_lines(
            self._notes(), self._status(), named, width=width, height=size.rows
        )  # fmt: skip
        room = max(1, size.rows - len(self.foot) - self._filtering())
        lines = [row for line in self._lines(look, room) for row in fold(line, width)]
        self.body, self.offset, self.page = framed(lines, room, self.offset, look.language)

    def _named(self) -> list[tuple[str, str]]:
        """Return the keys that the foot names, each with its word."""
        enter = (self.screen.say("name-enter"), "key-open")
        if self.app.layout.has_focus(self.filter):
            return [enter, ("Esc", "key-all")]
        listed = [enter] if self.view == "list" else []
        return [*listed, *((key, word) for key, word, _ in self.keys())]

    def _filtering(self) -> bool:
        return bool(self.filter.text) or self.app.layout.has_focus(self.filter)

    def _lines(self, look: Look, room: int) -> Sequence[Line]:
        if self.view == "keys":
            return keys_lines(self._all_keys(), look)
        if self.view == "refusal":
            return self.refusal
        if self.view == "list":
            lines, marked = self.chooser.lines(self.standings, look.language, look.width)
            # What is marked is seen whole, and at the top its heading too.
            low = marked.stop - (room - 1)
            self.offset = max(low, min(self.offset, 0 if marked.start < 2 else marked.start))
            return lines
        return VIEWS[self.view](self.rounds, look)

    def _all_keys(self) -> list[list[tuple[str, str]]]:
        say = self.screen.say
        moving = [
            ("↑ ↓ k j", "line"), (f"{say('name-space')} PgDn PgUp", "page"),
            ("Home End g G", "ends"), ("b Esc", "back"), (say("name-enter"), "open"),
            ("/", "filter"), ("Ctrl-Z", "stop"),
        ]  # fmt: skip
        asking = [
            ("n", "next"), ("r", "run"), ("b", "brief"), ("w", "why"), ("h", "hint"),
            ("t", "trace"), ("e", "heat"), ("s", "solution"), ("l", "list"), ("q", "quit"),
        ]  # fmt: skip
        return [[(key, say(f"watch-key-{word}")) for key, word in group]
                for group in (asking, moving)]  # fmt: skip

    def _look(self, width: int) -> Look:
        return Look(
            language=self.screen.language,
            width=width,
            source=self.rounds.judged_source,
            colour=self.screen.colour,
        )

    def _notes(self) -> list[str]:
        troubles = [self.screen.say(one.key, **one.values) for one in self.rounds.recorder.troubles]
        restarted = [self.screen.say("watch-restarted")] if self.rounds.session.restarted else []
        return [*troubles, *restarted]

    def _status(self) -> str:
        session, file = self.rounds.session, safe(str(self.rounds.file))
        if self.rounds.slow:
            return self.screen.say("watch-judging", file=file)
        if session.report is None or self.view == "list":
            return ""
        seconds = seconds_taken(session.report.elapsed_ms)
        at = clock.hour(self.rounds.judged_at)
        return self.screen.say("watch-judged", file=file, seconds=seconds, time=at)


def _terminal_is_gone() -> bool:
    try:
        termios.tcgetattr(sys.stdin.fileno())
    except (termios.error, OSError, ValueError):
        return True
    return False
