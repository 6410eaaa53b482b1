"""The part of the interview in which code is written: run, submit, hints, and what is told."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

from ...checker import Report, say
from ...kata.catalogue import Kata
from ..debug.claims import next_hint
from ..errors import Trouble
from ..hints import hints_on
from ..home import reason
from ..record import Recorder
from . import bugs, clock
from .files import hand_out, own_checks, put_back, read, run, saved_at
from .handout import blank
from .judging import Examiner, Outcome, weigh
from .requirements import Topic, answer, topics, value
from .said import Said, note, speech, trouble
from .session import Session, Stage, Submission
from .store import Event, Store
from .texts import table

__all__ = ["Coding"]

# What a save may take, and what file systems round.
_GRACE = 2.0
_READ_ONE_WAY = {"mask-inverted", "mask-added"}


class Coding:
    """What the interviewer does with the candidate's code."""

    def __init__(
        self,
        session: Session,
        store: Store,
        examiner: Examiner,
        *,
        language: str,
        folder: Path,
        recorder: Recorder,
    ) -> None:
        self.session = session
        self.store = store
        self.examiner = examiner
        self.language = language
        self.folder = folder
        self.recorder = recorder
        self._told: list[Trouble] = []

    def _add(self, kind: str, **data: Any) -> None:
        """Store that something happened, then count it in."""
        # Counted in as it will be read again: what is stored is all there is.
        event = Event(kind, clock.read(), json.loads(json.dumps(data)))
        self.store.add(self.session.number, event)
        self.session.take([event])

    def _troubles(self) -> list[Said]:
        """Say what could not be kept, each once."""
        new = [
            one for one in (*self.store.troubles, *self.recorder.troubles) if one not in self._told
        ]
        self._told += new
        return [trouble(one) for one in new]

    def topic(self, name: str) -> Topic:
        """Return a topic by its name."""
        return next(one for one in topics() if one.id == name)

    def _shown(self) -> str:
        """Return the file's name as one would type it from where one stands."""
        file = Path(self.session.file)
        here = self.folder.absolute()
        return str(file.relative_to(here) if file.is_relative_to(here) else file)

    def _source(self) -> tuple[str, list[Said]]:
        """Return the file's text, or nothing and what is wrong with it."""
        text = read(Path(self.session.file))
        if text.fault:
            return "", [note(text.fault, file=self._shown(), line=text.line, reason=text.why)]
        return text.source, []

    def _submit(self) -> list[Said]:
        source, fault = self._source()
        if fault or self.session.stage is None:
            return [*fault, note("interview-not-counted")] if fault else []
        last = self.session.last
        if last is not None and last.judged and last.source == source:
            return [note("interview-same")]
        self._add("submitted", source=source, last=False)
        return self._judge_what_waits()

    def _judge_what_waits(self) -> list[Said]:
        """Judge the last submission where its verdict is not there yet."""
        waiting = self.session.submissions[-1] if self.session.submissions else None
        if waiting is None or waiting.judged:
            return []
        try:
            report, outcome = self._judged(waiting)
        except OSError as fault:
            return [note("interview-not-judged", reason=reason(fault))]
        self._add("judged", number=waiting.number, report=report.to_dict(), outcome=asdict(outcome))
        self.recorder.record(report, alone=False)
        return self._verdict(waiting)

    def _judged(self, waiting: Submission) -> tuple[Report, Outcome]:
        stage, drawn = self.session.stages[waiting.tier], self.session.drawn
        kata, file, source = stage.tier.kata, self.session.file, waiting.source
        if stage.planted:
            judge = self.examiner.texts(kata)
            report = bugs.judged(bugs.exercise_of(stage.planted), source, file, judge)
            return report, bugs.outcome_of(report)
        report = self.examiner.judge(kata, file, source, drawn)
        report = self._in_words_of_this_interview(report, kata)
        return report, weigh(report, source, kata, drawn)

    def _hand_out(self, at: int) -> tuple[Path, str]:
        """Write a step's file: one with bugs in it, or one to begin in. Raise Refusal."""
        tier = self.session.stages[at].tier
        if not tier.bugs:
            source = blank(tier.kata, self.language)
            return hand_out(self.folder, source), source
        judge = self.examiner.texts(tier.kata)
        data = bugs.plant(tier, self.session.seed, self.session.level, judge)
        file = hand_out(self.folder, data["source"])
        self._add("planted", tier=at, **data)
        return file, data["source"]

    def _verdict(self, one: Submission) -> list[Said]:
        if one.accepted:
            key = "interview-right-leniently" if one.outcome["forgiven"] else "interview-right"
            found = [Said(kind="say", key=key)]
            names = [self.topic(name).name[self.language] for name in one.outcome["unsure"]]
            return [*found, *(note("interview-unsure", topic=name) for name in names)]
        if one.report.get("debug"):
            return [*_mended(Report.from_dict(one.report)), note("interview-wrong")]
        voice = table("voices.toml")[one.outcome["group"]][self.language]
        return [speech(voice), note("interview-wrong")]

    def _last_look(self) -> list[Said]:
        """Where time is over: judge what is in the file, if it was not judged already."""
        stage, last = self.session.stage, self.session.last
        if stage is None or stage.ended is not None:
            return []
        source, fault = self._source()
        if fault:
            return fault
        if source == self.session.handed or (last is not None and last.source == source):
            return []
        if self._saved_late():
            self._add("late")
            return [note("interview-saved-late", file=self._shown())]
        self._add("submitted", source=source, last=True)
        return self._judge_what_waits()

    def _saved_late(self) -> bool:
        """Whether the file was written when time was already up, terminal open or not."""
        now = clock.read()
        over = -self.session.left(now)
        return saved_at(Path(self.session.file)) > now.wall - over + _GRACE

    def _run(self) -> list[Said]:
        file = Path(self.session.file)
        if not file.is_file():
            return self._source()[1]
        ran = run(file)
        self._add("ran", status=ran.status, checks=own_checks(self._source()[0]))
        key = "interview-ran-long" if ran.status is None else "interview-ran"
        printed = Said(kind="output", rows=ran.rows, key="interview-cut" if ran.cut else "")
        return [*([printed] if ran.rows else []), note(key, status=ran.status)]

    def _hint(self) -> list[Said]:
        stage = self.session.stage
        if stage is None or stage.ended is not None:
            return [note("interview-no-hint-now")]
        if stage.planted:
            return self._hint_on_a_bug(stage)
        hints = hints_on(stage.tier.kata, self.language, self._found_wrong()).texts
        if stage.hints == len(hints):
            return [note("interview-hints-over", count=len(hints))]
        self._add("hinted", number=stage.hints + 1)
        values = {"number": stage.hints, "count": len(hints)}
        return [speech(hints[stage.hints - 1]), note("interview-hint-costs", **values)]

    def _found_wrong(self) -> list[str]:
        """Name what was wrong with the last submission of this step."""
        here = [one for one in self.session.submissions if one.tier == self.session.tier]
        report = here[-1].report if here else {}
        return [one["mistake"] for one in report.get("diagnosis", ())]

    def _hint_on_a_bug(self, stage: Stage) -> list[Said]:
        exercise = bugs.exercise_of(stage.planted)
        found = next_hint(exercise, self.session.claimed(self.session.tier), stage.hinted)
        if found is None:
            return [note("debug-hints-over")]
        place, hint = found
        self._add("hinted", number=stage.hints + 1, bug=place)
        count = 3 * len(exercise.planted)
        costs = note("interview-hint-costs", number=stage.hints, count=count)
        return [Said(kind="hint", hint=hint), costs]

    def _more(self) -> list[Said]:
        """Tell more of the last submission: the mistake and its line, then the whole report."""
        last = self.session.last
        if last is None or not last.judged or last.accepted:
            return [note("interview-nothing-more")]
        if last.told == 2:
            return [note("interview-all-told")]
        self._add("more", number=last.number, told=last.told + 1)
        report = Report.from_dict(last.report)
        costs = note(f"interview-more-costs-{last.told}")
        if last.outcome["missed"]:
            return [*self._agreed(last), costs]
        if last.told == 1:
            told = _which(report) if report.debug is not None else _named(report)
            return [*told, costs]
        return [Said(kind="report", report=report, source=last.source), costs]

    def _agreed(self, last: Submission) -> list[Said]:
        found = [self.topic(name) for name in last.outcome["missed"]]
        if last.told == 1:
            return [note("interview-not-agreed", topic=one.name[self.language]) for one in found]
        kata = self.session.stages[last.tier].tier.kata
        drawn = self.session.drawn
        return [speech(answer(one, kata, drawn, self.language)) for one in found]

    def _in_words_of_this_interview(self, report: Report, kata: Kata) -> Report:
        """The judge says what 1 means to it; here the mask may have been agreed otherwise."""
        meaning = value("meaning", kata, self.session.drawn)
        if meaning not in {"keep", "none", "brief"}:
            for one in report.diagnosis:
                if one.mistake in _READ_ONE_WAY:
                    one.message = say("either", **self.topic("meaning").answer[meaning])
                    one.reference = one.mended = None
        return report

    def _skip(self) -> list[Said]:
        stage = self.session.stage
        if stage is None:
            return []
        self._add("skipped")
        return [Said(kind="say", key="interview-skipped")]

    def _restore(self) -> list[Said]:
        file = Path(self.session.file)
        given = self.session.submissions
        why = put_back(file, given[-1].source if given else self.session.handed)
        if why:
            return [note("cannot-write", file=self._shown(), reason=why)]
        return [note("interview-restored", file=self._shown())]


def _mended(report: Report) -> list[Said]:
    """Say how many bugs are mended, and that something else is broken now."""
    assert report.debug is not None
    values = {"mended": report.debug.mended, "count": report.debug.bugs}
    found = [Said(kind="say", key="interview-bugs-left", values=values)]
    return [*found, *([note("interview-bugs-broken")] if report.debug.broken else [])]


def _which(report: Report) -> list[Said]:
    """Say which bugs are mended, and on which lines something is broken now."""
    assert report.debug is not None
    lines = ", ".join(map(str, sorted(report.debug.lines))) or "–"
    broken = [one.line for one in report.debug.broken if one.line]
    return [
        note("debug-which", lines=lines),
        *(note("debug-broken-unnamed", line=line) for line in broken),
    ]


def _named(report: Report) -> list[Said]:
    """Name the mistake and its line, or where the judge's numbers part."""
    if report.diagnosis:
        first = report.diagnosis[0]
        key = "interview-mistake-line" if first.line else "interview-mistake"
        return [note(key, mistake=first.mistake, line=first.line, message=first.message)]
    if report.error is not None:
        message, more = report.error.message, report.error.help
        told = say("below", first=message, second=more) if more else message
        return [note("interview-fault", message=told, line=report.error.line or "")]
    failing = [check for check in report.checks if check.status == "fail"]
    return [note("interview-check", check=one.id, detail=one.detail) for one in failing[:1]]
