"""The interviewer: takes what the candidate types, line by line, and answers.

Everything that happens is an event, stored before it is answered, so that a killed terminal
loses nothing. The screen and the plain lines both talk to this one.
"""

from __future__ import annotations

from pathlib import Path

from ..debug.claims import said_of_a_line, weighed
from ..errors import Refusal
from . import bugs, clock
from .answering import Answering
from .choosing import next_question, next_step
from .commands import TYPED, WORDS, command_in, command_said, meant
from .files import read
from .hearing.topics import topics_heard
from .requirements import answer, answers, value
from .said import Said, note, speech
from .session import Put

__all__ = ["Interview"]


class Interview(Answering):
    """One interview, led to its end. away: the candidate wants to leave for now."""

    away: bool = False

    @property
    def over(self) -> bool:
        """Whether it has ended."""
        return bool(self.session.ended)

    def seconds_left(self) -> float:
        """Return the time left, endless in practice; the whole where the file is not open yet."""
        return self.session.left(clock.read())

    def greet(self) -> list[Said]:
        """Open the interview, or take it up again where it was."""
        if not self.session.opened:
            key = "bugs" if self.session.stages[0].tier.bugs else "start"
            return [*self._brief(), note(f"interview-before-{key}"), *self._troubles()]
        self._add("resumed")
        found = [note(f"interview-resumed{self._running()}"), *self.look()]
        if self.over:
            return found
        found += self._judge_what_waits()
        put = self.session.put
        if self.over:
            return found
        if put is None:
            return [*found, *self._brief(), *self._go_on()]
        return [*found, *self.again(put)]

    def look(self) -> list[Said]:
        """Look at the clock; where time is over, judge what is there and end."""
        if self.over or not self.session.opened or self.seconds_left() > 0:
            return []
        found = [note("interview-time-over"), *self._judge_what_waits(), *self._last_look()]
        self._add("ended", why="time")
        return [*found, *self._troubles()]

    def leave(self) -> Said:
        """Note that the terminal was left; the clock goes on, where one runs."""
        self._add("left")
        return note(f"interview-left{self._running()}")

    def _running(self) -> str:
        return "-running" if self.session.opened and not self.session.practice else ""

    def line(self, text: str, *, more: bool = False) -> list[Said]:
        """Take what was typed, and return what is said to it.

        more: whether the rest of a paste follows; an empty line in it ends no answer.
        """
        found = self.look()
        if self.over:
            return found
        put = self.session.put
        if put is not None:
            return [*found, *self._during(put, text, more=more), *self._troubles()]
        if not text.strip():
            return found
        name, rest = _wanted(text)
        if name:
            return [*found, *self._command(name, rest), *self._troubles()]
        return [*found, *self._spoken(text), *self._troubles()]

    def _during(self, put: Put, text: str, *, more: bool) -> list[Said]:
        """Take what is typed while a question is open: a command works here too."""
        name, _ = _wanted(text) if not more else ("", "")
        if name == "time":
            return [self._time_left()]
        if name == "end":
            return self._command(name, "")
        if name == "brief":
            return self.again(put)
        if name in {"help", "leave"}:
            return self._command(name, "")
        coding = {"hint", "start", "run", "more", *(() if put.lines else ("submit",))}
        if name in coding and len(text.split()) == 1 and not put.answered:
            return [note("interview-answer-first")]
        if name == "skip" and not put.answered:
            said = self.nothing(put)
        elif name == "submit" and not put.answered and put.lines:
            said = self.answering(put, "", more=False)
        else:
            said = self.answering(put, text, more=more)
        return [*said, *(self._go_on() if put.closed else [])]

    def _command(self, name: str, rest: str) -> list[Said]:
        opened = self.session.opened
        if name == "start":
            return [note("interview-started-already")] if opened else self._open()
        if name == "help":
            return self._help()
        if name == "leave":
            self.away = True
            return []
        if name == "brief":
            return self._brief()
        if name == "time":
            return [self._time_left()]
        if name == "end":
            self._add("ended", why="candidate")
            return [note("interview-ended-early")]
        if not opened:
            return [note("interview-not-started", command=self._word(name))]
        if name == "file":
            return self._moved(rest)
        coding = {
            "submit": self._submit,
            "run": self._run,
            "hint": self._hint,
            "more": self._more,
            "skip": self._skip,
            "restore": self._restore,
        }
        said = coding[name]() if name in coding else []
        return [*said, *self._go_on()] if name in {"submit", "skip"} else said

    def _help(self) -> list[Said]:
        """Explain what can be typed just now."""
        put, opened = self.session.put, self.session.opened
        key = "bugs" if opened and self._looking() else "open" if opened else "brief"
        key = "question" if put is not None else key
        found = [note(f"interview-typed-{key}"), Said(kind="help", rows=TYPED[key])]
        clock = [] if self.session.practice else [note("interview-clock-stands")]
        return [*found, *clock] if put is not None else found

    def _open(self) -> list[Said]:
        try:
            file, source = self._hand_out(0)
        except Refusal as refusal:
            return [note(refusal.key, **refusal.values)]
        self._add("opened", file=str(file), source=source)
        self.examiner.warm()
        key = "interview-opened-practice" if self.session.practice else "interview-opened"
        minutes = f"{self.session.minutes:g}"
        opened = [note(key, file=self._shown(), minutes=minutes)]
        if self.session.stages[0].planted:
            return [*opened, note("interview-help-bugs"), *self._symptoms()]
        return [*opened, note("interview-help-open")]

    def _hand_on(self) -> list[Said]:
        """Hand out the file of a step that does not go on in the one before."""
        try:
            file, source = self._hand_out(self.session.tier)
        except Refusal as refusal:
            return [note(refusal.key, **refusal.values)]
        self._add("handed", file=str(file), source=source)
        return [note("interview-handed", file=self._shown()), *self._symptoms()]

    def _symptoms(self) -> list[Said]:
        """Say what is seen of a file with bugs from outside."""
        stage = self.session.stage
        told = bugs.symptoms_of(stage.planted) if stage is not None else ()
        return [Said(kind="say", key=one.key, values=one.values) for one in told]

    def _brief(self) -> list[Said]:
        session, language = self.session, self.language
        stage = session.stage
        found: list[Said] = []
        if not session.opened:
            minutes = f"{session.minutes:g}"
            found.append(speech(session.plan.opening[language].format(minutes=minutes)))
        if stage is not None and not stage.passed:
            found += self._tier()
        return found

    def _tier(self) -> list[Said]:
        """Say what is asked at the tier in work, and what is no longer as agreed."""
        stage, language = self.session.stage, self.language
        assert stage is not None
        found = [speech(stage.tier.ask[language])]
        if stage.tier.bugs:
            return [*found, *self._symptoms()]
        kata, drawn = stage.tier.kata, self.session.drawn
        if kata.promised is None:
            # The judge finds functions by their names, so these are no secret.
            found.append(speech(answer(self.topic("names"), kata, drawn, language)))
        now = value("output", kata, drawn)
        if now == "wanted" and drawn["output"] == "unwanted":
            found.append(speech(self.topic("output").answer["changed"][language]))
        return found

    def _spoken(self, text: str) -> list[Said]:
        """Answer a clarifying question, every topic that it names."""
        near = meant(text)
        if near is not None:
            return [note("interview-meant", word=self._word(near))]
        if not text.strip("?？ "):
            return self._help()
        session, stage = self.session, self.session.stage
        if stage is not None and stage.tier.bugs:
            return self._about_bugs(text)
        heard = topics_heard(text, session.subject)
        found = [self.topic(name) for name in heard.topics]
        if not heard.asked:
            self._add("thought", text=text)
            return [Said(kind="say", key="interview-noted")]
        self._add("asked", text=text, topics=list(heard.topics), subject=heard.subject)
        if not found or stage is None:
            return [Said(kind="say", key="interview-unclear")]
        if heard.vague:
            return [Said(kind="say", key="interview-which")]
        kata = stage.tier.kata
        return [speech(text) for text in answers(found, kata, session.drawn, self.language)]

    def _about_bugs(self, text: str) -> list[Said]:
        """Take what is said of a file with bugs: a claim, or a thought."""
        stage = self.session.stage
        assert stage is not None
        try:
            spoken = said_of_a_line(text) if stage.planted else None
        except Refusal as refusal:
            return [note(refusal.key, **refusal.values)]
        if spoken is None:
            self._add("thought", text=text)
            return [Said(kind="say", key="interview-bugs-ask")]
        source = read(Path(self.session.file)).source
        exercise = bugs.exercise_of(stage.planted)
        found = weighed(spoken, exercise, source, self.session.claimed(self.session.tier))
        if found.verdict != "again":
            self._add(
                "claimed", line=found.line, first=found.first, mistake=found.mistake,
                verdict=found.verdict, early=not found.mended,
            )  # fmt: skip
        named = "-named" if found.mistake and found.verdict == "right" else ""
        return [note(f"claim-{found.verdict}{named}", line=found.line, mistake=found.mistake)]

    def _time_left(self) -> Said:
        session = self.session
        if session.practice:
            return note("interview-no-clock")
        if not session.opened:
            return note("interview-time-waits", minutes=f"{session.minutes:g}")
        return note("interview-time-left", minutes=max(1, round(self.seconds_left() / 60)))

    def _go_on(self) -> list[Said]:
        """Put the next question, go to the next tier, or come to the end."""
        found: list[Said] = []
        session = self.session
        while not self.over and session.put is None:
            stage = session.stage
            question = next_question(session)
            if question is not None:
                self._add("question", name=question[0], own=question[1])
                assert session.put is not None
                found += self.again(session.put)
                if len(session.puts) == 1 and not session.practice:
                    found.append(note("interview-clock-stands"))
            elif stage is None:
                self._add("ended", why="done")
                found.append(Said(kind="say", key="interview-done"))
            elif stage.ended is None:
                break
            else:
                step = next_step(session, self.seconds_left())
                if step is not None:
                    self._add("extended", kata=step.id)
                self._add("went_on")
                if session.stage is not None:
                    place = {"number": session.tier + 1, "count": len(session.stages)}
                    title = session.stage.tier.title[self.language]
                    found += [note("interview-tier", title=title, **place), *self._tier()]
                    if session.stage.tier.bugs or stage.tier.bugs:
                        found += self._hand_on()
                elif next_question(session) is not None:
                    found.append(Said(kind="say", key="interview-closing"))
        return found

    def _moved(self, name: str) -> list[Said]:
        file = (self.folder / Path(name).expanduser()).absolute()
        if not name or not file.is_file() or file.suffix != ".py":
            return [note("interview-no-such-file", file=str(file) if name else "")]
        self._add("moved", file=str(file))
        return [note("interview-moved", file=self._shown())]

    def _looking(self) -> bool:
        """Whether bugs are looked for just now."""
        stage = self.session.stage
        return stage is not None and bool(stage.planted)

    def _word(self, name: str) -> str:
        return WORDS[name][self.language]


def _wanted(text: str) -> tuple[str, str]:
    """Return the command that a line is, in its own word or said in others."""
    name, rest = command_in(text)
    return (name, rest) if name else (command_said(text), "")
