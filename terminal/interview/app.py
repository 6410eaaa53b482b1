"""The interview on a screen of its own: the time left, the step, the last verdict, the talk.

Only what has changed is drawn anew; colours are the terminal's own, light or dark.
"""

from __future__ import annotations

from typing import ClassVar

from rich.text import Text
from textual import work
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.widgets import Static

from ...practice.interview.conduct import Interview
from ...practice.interview.said import Said
from ..screen import STYLES, Screen
from ..text import Line, cells
from ..words import say
from .lines import clock_text, said_lines
from .typed import Typed

__all__ = ["InterviewApp", "lead"]

_WIDEST = 100
# How often the clock is looked at, in seconds.
_TICK = 1.0
# Keys and the command that each types; words do the same.
_KEYS = {"f1": "help", "f2": "submit", "f3": "run", "f4": "hint", "f5": "more"}


def lead(interview: Interview, screen: Screen) -> None:
    """Hold the interview on the screen until it is over or the person leaves."""
    InterviewApp(interview, screen.language).run()
    if not interview.over:
        screen.note(screen.say(interview.leave().key))


class InterviewApp(App[None]):
    """The screen of one interview."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; }
    #state { height: auto; max-height: 2; text-style: bold; }
    #rule, #rule-below { height: 1; color: ansi_bright_black; }
    #talk { height: 1fr; scrollbar-size-vertical: 1; }
    #typed { height: 1; border: none; padding: 0; background: ansi_default; }
    #keys { height: 1; text-style: dim; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        *(Binding(key, f"type('{word}')", priority=True) for key, word in _KEYS.items()),
        Binding("ctrl+q,ctrl+c,ctrl+d", "leave", priority=True),
        Binding("pageup,shift+up", "turn(-1)", priority=True),
        Binding("pagedown,shift+down", "turn(1)", priority=True),
    ]

    def __init__(self, interview: Interview, language: str) -> None:
        super().__init__()
        self.interview = interview
        self.language = language
        self.said: list[Said] = []
        # How much of it was said before the last line that was typed.
        self.fresh = 0
        self.busy = False
        self.waiting: list[tuple[str, bool]] = []
        # The key that was pressed last meanwhile: done once, and not where a question came up.
        self.pressed = ""
        self.shown: dict[str, str] = {}
        self.theme = "ansi-dark"

    def compose(self) -> ComposeResult:
        """Lay out: the state, the talk, the line to type on, the keys."""
        yield Static(id="state", markup=False)
        yield Static(id="rule", markup=False)
        with VerticalScroll(id="talk", can_focus=False):
            yield Static(id="words", markup=False)
        yield Static(id="rule-below", markup=False)
        yield Typed(id="typed")
        yield Static(id="keys", markup=False)

    def on_mount(self) -> None:
        """Greet, and look at the clock every second from then on."""
        # Of a widget, not of the program: what it looks at is there as long as it is.
        self.query_one("#state").set_interval(_TICK, self.look)
        typed = self.query_one(Typed)
        typed.cursor_blink = False
        typed.focus()
        self.answer(None)

    def on_resize(self) -> None:
        """Draw for the new width."""
        self.call_after_refresh(self.draw)

    def on_typed_line(self, event: Typed.Line) -> None:
        """Say what was typed."""
        if self.interview.over:
            self.exit()
        else:
            self.answer(event.text, more=event.more)

    def action_type(self, word: str) -> None:
        """Do what typing a command would do; an answer that is being written is not one."""
        if self.busy:
            self.pressed = word
        elif self.interview.session.put is None or word == "help":
            self.answer(word)

    def action_leave(self) -> None:
        """Leave; the clock goes on, and the interview can be resumed."""
        self.exit()

    def action_turn(self, pages: int) -> None:
        """Turn a page of the talk."""
        talk = self.query_one("#talk", VerticalScroll)
        talk.scroll_relative(y=pages * max(1, talk.size.height - 2), animate=False)

    def look(self) -> None:
        """Show the time that is left; where it is over, end."""
        over = self.interview.session.opened and self.interview.seconds_left() <= 0
        if over and not self.interview.over and not self.busy:
            self.answer("")
        self.draw_state()

    def answer(self, line: str | None, *, more: bool = False) -> None:
        """Hand a line to the interviewer, who may take a while; None for the greeting."""
        if self.busy:
            # What is typed meanwhile is said in its turn.
            self.waiting.append((line or "", more))
            return
        self.busy = True
        self.draw_state()
        self.hear(line, more=more)

    @work(thread=True)
    def hear(self, line: str | None, *, more: bool) -> None:
        """Hear the interviewer out, beside the screen."""
        talk = self.interview
        said = talk.greet() if line is None else talk.line(line, more=more)
        self.call_from_thread(self.told, line, said)

    def told(self, line: str | None, said: list[Said]) -> None:
        """Show what was typed and what was said to it."""
        self.busy = False
        if self.interview.away:
            self.exit()
            return
        self.fresh = len(self.said)
        if line:
            self.said.append(Said(kind="typed", text=line))
        self.said += said
        if self.interview.over:
            self.waiting.clear()
            self.said.append(Said(kind="note", key="interview-over-keys"))
        self.draw()
        if self.waiting:
            line, more = self.waiting.pop(0)
            self.answer(line, more=more)
        elif self.pressed:
            word, self.pressed = self.pressed, ""
            if not self.interview.over:
                self.action_type(word)

    def draw(self) -> None:
        """Draw everything, the talk where what is new begins; a question from its end."""
        width = self.width
        lines = said_lines(self.said, self.language, width)
        self.query_one("#words", Static).update(_text(lines))
        for name in ("rule", "rule-below"):
            self.show(name, "─" * width)
        self.show("keys", self.keys())
        self.draw_state()
        talk = self.query_one("#talk", VerticalScroll)
        # Its height is known once it is laid out.
        if self.interview.session.put is not None:
            self.call_after_refresh(talk.scroll_end, animate=False)
        else:
            before = said_lines(self.said[: self.fresh], self.language, width)
            self.call_after_refresh(talk.scroll_to, y=len(before), animate=False)

    @property
    def width(self) -> int:
        """Columns to draw in, beside the bar."""
        return max(20, min(_WIDEST, self.size.width - 1))

    def draw_state(self) -> None:
        """Draw the time left, the step and the last verdict, where they have changed."""
        self.show("state", self.state())
        put = self.interview.session.put
        key = "interview-prompt"
        if self.interview.over:
            key = "interview-over-keys"
        elif put is not None:
            exact = put.asked(self.language).exact
            key = f"interview-prompt-{'tick' if put.answered else 'exact' if exact else 'answer'}"
        self.query_one(Typed).placeholder = say(key, self.language)

    def show(self, name: str, text: str) -> None:
        """Put a text in its place, unless it stands there: what does not change is not drawn."""
        if self.shown.get(name) != text:
            self.shown[name] = text
            self.query_one(f"#{name}", Static).update(text)

    def state(self) -> str:
        """Return the first line: what is asked, how it stands, and the clock at the right."""
        parts = [self.step(), self.verdict()]
        clock = self.clock()
        left = "  ·  ".join(part for part in parts if part)
        while parts and cells(left) + cells(clock) + 2 > self.width:
            parts.pop()
            left = "  ·  ".join(part for part in parts if part)
        return left + " " * max(1, self.width - cells(left) - cells(clock)) + clock

    def step(self) -> str:
        """Return which step is in work."""
        session = self.interview.session
        stage = session.stage
        if stage is None:
            return say("interview-title", self.language)
        place = f"{session.tier + 1}/{len(session.stages)}"
        return f"{place} {stage.tier.title[self.language]}"

    def verdict(self) -> str:
        """Return how the last submission came out, or that it is being read."""
        if self.busy:
            session = self.interview.session
            key = "reading" if session.put else "judging" if session.opened else "preparing"
            return say(f"interview-{key}", self.language)
        last = self.interview.session.last
        if last is None or not last.judged:
            return say("interview-last-none", self.language)
        return say(f"interview-last-{'right' if last.accepted else 'wrong'}", self.language)

    def clock(self) -> str:
        """Return the time left."""
        session = self.interview.session
        if session.practice:
            return say("interview-no-clock", self.language)
        if not session.opened:
            return say("interview-clock-waits", self.language)
        left = clock_text(self.interview.seconds_left())
        return f"{say('interview-left-label', self.language)} {left}"

    def keys(self) -> str:
        """Return the keys, as many as there is room for."""
        rows = [
            (key.upper(), say(f"interview-key-{word}", self.language))
            for key, word in _KEYS.items()
        ]
        rows.append(("^Q", say("interview-key-leave", self.language)))
        text = ""
        for key, word in rows:
            if cells(text) + cells(f"{key} {word}  ") > self.width:
                break
            text += f"{key} {word}  "
        return text.rstrip()


def _text(lines: list[Line]) -> Text:
    text = Text()
    for line in lines:
        for span, style in line:
            text.append(span, STYLES[style])
        text.append("\n")
    text.rstrip()
    return text
