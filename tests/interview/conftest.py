"""An interview without a judge or a real clock: both do what the test says."""

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest
from attn_kata.checker.report.report import Check, Diagnosis, Difference, Fault, Report
from attn_kata.practice.interview import clock, coding, opening
from attn_kata.practice.interview.conduct import Interview
from attn_kata.practice.interview.store import Store
from attn_kata.practice.record import Recorder
from attn_kata.practice.workspace import Workspace

CHECKS = ("rules", "structure", "parameters", "shape", "values", "mask", "dtypes", "device")


class Hands:
    """The hands of the machine's clocks."""

    def __init__(self):
        self.reading = clock.Reading(wall=1.7e9, steady=1000.0, awake=1000.0, boot="one")

    def read(self):
        """Stand in for `clock.read`."""
        return self.reading

    def turn(self, **by):
        """Turn some of the clocks on, each by its own seconds."""
        now = self.reading
        self.reading = replace(now, **{name: getattr(now, name) + by[name] for name in by})

    def go_on(self, seconds):
        """Let time pass."""
        self.turn(wall=seconds, steady=seconds, awake=seconds)

    def boot(self, name, wall):
        """Start the machine anew, `wall` seconds later by its wall clock."""
        self.reading = clock.Reading(
            wall=self.reading.wall + wall, steady=5.0, awake=5.0, boot=name
        )


class Judge:
    """Judges by the first word of the text."""

    def __init__(self):
        self.judged = []

    def warm(self):
        """Do as if torch were loaded."""

    def judge(self, kata, file, source, drawn):
        """Return the report that the text asks for."""
        self.judged.append((kata.id, source))
        return report_of(source, kata.id, file)


def report_of(source, kata="v1", file="interview.py"):
    """Make a report: right, wrong (a scale by the width on line 2) or a crash."""
    if source.startswith("# crash"):
        fault = Fault(kind="forward", message="RuntimeError: no", line=2)
        return Report(kata=kata, file=file, verdict="error", error=fault, seed=7)
    wrong = source.startswith("# wrong")
    failing = {"values"} if wrong else set()
    checks = [
        Check(id=name, status="fail" if name in failing else "pass", detail=f"{name} detail")
        for name in CHECKS
    ]
    diagnosis = [
        Diagnosis(
            mistake="scale-by-hidden-dim", message="the scores are divided by √hidden_dim", line=2
        )
    ]
    difference = Difference(
        case="batch 1", max_abs=0.5, at=[0, 0, 0], expected=[[1.0, -0.5]], actual=[[0.5, -0.5]]
    )
    return Report(
        kata=kata, file=file, verdict="fail" if wrong else "pass", object="Attention",
        checks=checks, diagnosis=diagnosis if wrong else [], seed=7,
        difference=difference if wrong else None,
        roles={"q": "q.weight", "k": "k.weight", "v": "v.weight"},
    )  # fmt: skip


@pytest.fixture
def hands(monkeypatch):
    """The machine's clocks, in the test's hands."""
    found = Hands()
    monkeypatch.setattr(clock, "read", found.read)
    # The files are written today, and the test's wall clock is another day's.
    monkeypatch.setattr(coding, "saved_at", lambda _: 0.0)
    return found


@pytest.fixture
def judge():
    """A judge that loads nothing."""
    return Judge()


@pytest.fixture
def work(tmp_path):
    """The folder that the candidate writes in."""
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


@pytest.fixture
def lead(hands, judge, work, tmp_path):
    """Lead an interview: `lead()` begins one, `lead(resume=True)` goes on after a kill."""

    def begin(*, resume=False, language="en", **wishes):
        store = Store(tmp_path / "home")
        asked: dict[str, Any] = {"plan": "mha", "level": "junior", "minutes": None, "seed": 4}
        asked |= {"practice": False, **wishes}
        session = opening.resume(store) if resume else opening.begin(store, **asked)
        recorder = Recorder(Workspace(tmp_path / "home"))
        return Interview(session, store, judge, language=language, folder=work, recorder=recorder)

    return begin


@pytest.fixture
def script():
    """What the candidate writes, what the judge says to it, and what was said by key."""
    return SimpleNamespace(
        right="# right\nclass Attention: ...\n",
        wrong="# wrong\nclass Attention: ...\n",
        crash="# crash\nclass Attention: ...\n",
        unlike="# right\nclass Attention:\n    def __init__(self, dropout=0.9): ...\n",
        report=report_of,
        keys=lambda said: [one.key or one.text or one.kind for one in said],
    )
