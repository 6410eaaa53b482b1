"""The history keeps every check, and no fault of the database stops a command."""

import itertools
import multiprocessing
import os
import random
import resource
import signal
import sqlite3
import time

import pytest
from attn_kata.checker.report.message import say
from attn_kata.checker.report.report import Diagnosis, Fault, Report
from attn_kata.kata.catalogue import find
from attn_kata.practice.history import Attempt, Event, History
from attn_kata.practice.record import Recorder
from attn_kata.practice.summary import summary
from attn_kata.practice.workspace import Workspace
from attn_kata.terminal.progress import attempt_lines


def attempt(verdict="pass", kata="v1", file="v1.py"):
    """Make an attempt as a check would."""
    report = Report(
        kata=kata,
        file=file,
        verdict=verdict,
        diagnosis=[Diagnosis(mistake="scale-missing", message="…")],
        seed=3,
        elapsed_ms=5,
    )
    return Attempt.of(report, "abc")


def test_attempts_come_back(tmp_path):
    """What was stored is there for the next command, in SQLite's WAL mode."""
    History(tmp_path).add(attempt("fail"))
    History(tmp_path).add(attempt("pass"))
    History(tmp_path).add(attempt("error", kata="mha"))
    history = History(tmp_path)
    assert history.count() == 3
    assert history.standing() == {"v1": "passed", "mha": "tried"}
    with sqlite3.connect(history.path) as database:
        assert database.execute("PRAGMA journal_mode").fetchone() == ("wal",)
        row = database.execute("SELECT kata, mistakes, seed, source_hash FROM attempts").fetchone()
    database.close()
    assert row == ("v1", '["scale-missing"]', 3, "abc")
    assert not history.troubles


def test_reading_makes_no_file(tmp_path):
    """Looking at an empty history leaves the disk alone."""
    assert History(tmp_path / "new").standing() == {}
    assert not (tmp_path / "new").exists()


def test_name_that_is_no_text(tmp_path):
    """A file whose name is not UTF-8 is recorded all the same."""
    history = History(tmp_path)
    history.add(attempt(file="caf\udce9.py"))
    assert history.count() == 1
    assert not history.troubles


VERSION_1 = """
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY, time REAL NOT NULL, kata TEXT NOT NULL, file TEXT NOT NULL,
    verdict TEXT NOT NULL, mistakes TEXT NOT NULL, elapsed_ms INTEGER NOT NULL,
    seed INTEGER NOT NULL, source_hash TEXT
);
INSERT INTO attempts VALUES (1, 10.5, 'mha', '/a/mha.py', 'fail', '["scale-missing"]', 9, 4, 'h');
INSERT INTO attempts VALUES (2, 11.5, 'mha', '/a/mha.py', 'pass', '[]', 9, 4, NULL);
PRAGMA application_id = 0x61746B61;
PRAGMA user_version = 1;
"""


def version_1(folder):
    """Make the database that the first release wrote."""
    connection = sqlite3.connect(folder / "history.sqlite3")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.executescript(VERSION_1)
    connection.close()


def test_database_of_the_first_release(tmp_path):
    """It is brought up to date where it is, with every record as it was."""
    version_1(tmp_path)
    history = History(tmp_path)
    first, second = history.story()
    assert isinstance(first, Attempt)
    assert isinstance(second, Attempt)
    assert (first.kata, first.verdict, first.asked_by) == ("mha", "fail", "check")
    assert (second.kata, second.verdict, second.asked_by) == ("mha", "pass", "check")
    assert first.mistakes == ("scale-missing",)
    assert history.note(Event(kata="mha", kind="hint", detail="1", time=12.0))
    assert history.add(attempt())
    assert [type(one).__name__ for one in history.story()] == [
        "Attempt", "Attempt", "Event", "Attempt",
    ]  # fmt: skip
    assert not history.troubles
    assert list(tmp_path.glob("*-1")) == []


VERSION_2 = """
ALTER TABLE attempts ADD COLUMN asked_by TEXT NOT NULL DEFAULT 'check';
CREATE TABLE events (
    id INTEGER PRIMARY KEY, time REAL NOT NULL, kata TEXT NOT NULL, kind TEXT NOT NULL,
    detail TEXT NOT NULL, after_attempt INTEGER NOT NULL
);
INSERT INTO attempts VALUES (3, 12.5, 'v1', '/a/v1.py', 'error', '[]', 9, 4, 'h', 'watch');
INSERT INTO events VALUES (1, 10.0, 'mha', 'start', '/a/mha.py', 0);
PRAGMA user_version = 2;
"""


def test_database_of_version_2(tmp_path):
    """It gains why an attempt is an error; of an old one that is not known."""
    version_1(tmp_path)
    connection = sqlite3.connect(tmp_path / "history.sqlite3")
    connection.executescript(VERSION_2)
    connection.close()
    history = History(tmp_path)
    last = history.story()[-1]
    assert isinstance(last, Attempt)
    assert (last.asked_by, last.fault, last.line, last.number) == ("watch", "", None, 3)
    fault = Fault(kind="syntax", message="…", line=7)
    history.add(Attempt.of(Report(kata="v1", file="-", verdict="error", error=fault), None))
    last = history.story()[-1]
    assert isinstance(last, Attempt)
    assert (last.file, last.fault, last.line, last.exception) == ("-", "syntax", 7, "")
    assert history.folders() == {"/a"}
    assert not history.troubles


def test_exception_of_an_error(tmp_path):
    """An error is kept with the exception that it names, and told by it in both languages."""
    history = History(tmp_path)
    raised = say("load-raised", kind="KeyError", reason="'a'", line=3)
    for message in (raised, say("file-empty")):
        fault = Fault(kind="load", message=message, line=3)
        history.add(Attempt.of(Report(kata="v1", file="v1.py", verdict="error", error=fault), None))
    told = [one for one in history.story() if isinstance(one, Attempt)]
    assert [one.exception for one in told] == ["KeyError", ""]
    for language, words in (
        ("en", "line 3: raised KeyError while"),
        ("zh", "加载文件时抛出 KeyError"),
    ):
        first, second = ("".join(x for x, _ in attempt_lines(one, language, 80)[0]) for one in told)
        assert words in first
        assert "KeyError" not in second


def test_taken_back(tmp_path):
    """What is taken back is gone, and what happened around it stays in its order."""
    history = History(tmp_path)
    for number in range(3):
        history.add(attempt(kata=f"k{number}"))
        history.note(Event(kata=f"e{number}", kind="hint"))
    last = history.story()[-2]
    assert isinstance(last, Attempt)
    assert history.take_back([last])
    # It gets the number of the one that is gone.
    history.add(attempt(kata="new"))
    assert [one.kata for one in history.story()] == ["k0", "e0", "k1", "e1", "e2", "new"]
    assert not history.troubles


@pytest.mark.parametrize(
    ("keep", "asked_by", "stored"),
    [
        (None, "check", ["mine.py", "v1.py"]),
        (None, "watch", ["mine.py", "v1.py"]),
        (None, "interview", ["mine.py", "other.py", "v1.py"]),
        (True, "check", ["mine.py", "other.py", "v1.py"]),
        (False, "check", []),
    ],
)
def test_what_is_recorded(tmp_path, keep, asked_by, stored):
    """What lies where stubs were handed out is one's own; an option says otherwise."""
    Recorder(Workspace(tmp_path / "home")).started("v1", tmp_path / "here" / "v1.py")
    recorder = Recorder(Workspace(tmp_path / "home"), asked_by, keep=keep)
    for place in ("here/v1.py", "here/mine.py", "here/deeper/other.py"):
        recorder.record(Report(kata="v1", file=str(tmp_path / place), verdict="pass"), alone=True)
    told = [one.file for one in recorder.history.story() if isinstance(one, Attempt)]
    assert sorted(file.rpartition("/")[2] for file in told) == stored
    assert recorder.left_out == (asked_by != "interview" and keep is None)
    told = [one.key for one in recorder.troubles]
    assert told == (["not-recorded"] if asked_by == "watch" else [])


@pytest.mark.parametrize("language", ["en", "zh"])
def test_unwritten_stub_is_no_check(tmp_path, language):
    """A stub judged as it was handed out is in nobody's figures, whatever its comments say."""
    file = tmp_path / "v1.py"
    file.write_text(find("v1").stub(language).replace("# attn-kata", "# my attn-kata"))
    recorder = Recorder(Workspace(tmp_path / "home"), keep=True)
    fault = Fault(kind="construct", message="…", line=7)
    recorder.record(Report(kata="v1", file=str(file), verdict="error", error=fault), alone=True)
    story = recorder.history.story()
    assert len(story) == 1
    assert summary(story).attempts == ()
    file.write_text(file.read_text().replace('raise NotImplementedError("write me")', "pass", 1))
    recorder.record(Report(kata="v1", file=str(file), verdict="error", error=fault), alone=True)
    (counted,) = summary(recorder.history.story()).attempts
    assert (counted.fault, counted.line) == ("construct", 7)


def test_order_does_not_hang_on_the_clock(tmp_path):
    """What happened between two checks stays between them, whatever the time was said to be."""
    history = History(tmp_path)
    for number, stamp in enumerate((500.0, 5.0, 900.0)):
        history.add(Attempt.of(Report(kata=f"{number}", file="x", verdict="fail"), None))
        history.note(Event(kata=f"{number}", kind="hint", time=stamp))
    assert [one.kata for one in history.story()] == ["0", "0", "1", "1", "2", "2"]


def _migrate(folder, barrier, answers):
    barrier.wait()
    history = History(folder)
    history.add(attempt())
    answers.put([trouble.key for trouble in history.troubles])


def test_many_commands_find_it_old(tmp_path):
    """One of them mends it; no one loses what another has just written."""
    version_1(tmp_path)
    context = multiprocessing.get_context("fork")
    barrier, answers = context.Barrier(6), context.Queue()
    workers = [
        context.Process(target=_migrate, args=(tmp_path, barrier, answers)) for _ in range(6)
    ]
    for worker in workers:
        worker.start()
    said = [answers.get(timeout=600) for _ in workers]
    for worker in workers:
        worker.join()
    assert said == [[]] * 6
    assert History(tmp_path).count() == 8


def _on_a_full_disk(folder, answers):
    # Files may not grow: to SQLite and to the workspace that is a disk without room.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))
    recorder = Recorder(Workspace(folder), keep=True)
    file = folder / "mine.py"
    report = Report(kata="mha", file=str(file), verdict="pass")
    shown = list(recorder.recorded([report], alone=True))
    answers.put(([one.verdict for one in shown], [one.key for one in recorder.troubles]))


def test_full_disk(tmp_path):
    """The verdict comes all the same, it is said that it is not recorded, and nothing is lost."""
    (tmp_path / "mine.py").write_text("x")
    for _ in range(3):
        History(tmp_path).add(attempt())
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    worker = context.Process(target=_on_a_full_disk, args=(tmp_path, answers))
    worker.start()
    verdicts, troubles = answers.get(timeout=600)
    worker.join()
    assert verdicts == ["pass"]
    assert "history-closed" in troubles
    history = History(tmp_path)
    assert history.count() == 3
    assert history.add(attempt())
    assert not history.troubles


def _record_for_ever(folder, told):
    """Record as `check` does, and say each verdict once it is passed on."""
    recorder = Recorder(Workspace(folder), keep=True)
    reports = (
        Report(kata="mha", file="/mine.py", verdict="pass", seed=n) for n in itertools.count()
    )
    for report in recorder.recorded(reports, alone=True):
        os.write(told, b"%d\n" % report.seed)


def _kill_while_recording(folder, times):
    """Kill the recording program so often; return how many verdicts were seen."""
    dice = random.Random(7)
    seen = 0
    for _ in range(times):
        reading, told = os.pipe()
        pid = os.fork()
        if pid == 0:
            os.close(reading)
            _record_for_ever(folder, told)
        os.close(told)
        with os.fdopen(reading, "rb") as stream:
            # Somewhere in the record after so many, or in the making of the database.
            lines = [stream.readline() for _ in range(dice.randrange(3))]
            time.sleep(dice.random() * 0.003)
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            seen += sum(line.endswith(b"\n") for line in (*lines, *stream.readlines()))
    return seen


@pytest.mark.parametrize("times", [30, pytest.param(400, marks=pytest.mark.slow)])
def test_killed_at_any_moment(tmp_path, times):
    """Every verdict that was seen before the program was killed is on record, each once."""
    seen = _kill_while_recording(tmp_path, times)
    assert seen >= times // 2
    history = History(tmp_path)
    recorded = history.count()
    # The one that was being recorded when the kill came may be there, though nobody saw it.
    assert seen <= recorded <= seen + times
    assert not history.troubles
    assert list(tmp_path.glob("*broken*")) == []
