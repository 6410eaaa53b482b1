"""The watch loop's state, without a terminal or a judge; and saves, on a real disk."""

import select
import shutil

import pytest
from attn_kata.checker.client import Died, Options, Underway
from attn_kata.checker.report.report import Report
from attn_kata.kata.catalogue import find
from attn_kata.practice.errors import Refusal
from attn_kata.practice.record import Recorder
from attn_kata.practice.saves import Saves, whole
from attn_kata.practice.targets import Target
from attn_kata.practice.watch import Session, opened, to_watch
from attn_kata.practice.workspace import Workspace
from attn_kata.sentences.wording import sentence


class Check(Underway):
    """A check that ends as a test says."""

    def __init__(self, text, died=False):
        self.text, self.died, self.dropped = text, died, False

    def report(self):
        """Return a report that says what was judged."""
        if self.died:
            raise Died("killed")
        return Report(kata="v1", file="v1.py", verdict="fail", object=self.text)

    def drop(self):
        """Let go."""
        self.dropped = True


class Judges:
    """Judges that note what they were asked."""

    def __init__(self):
        self.checks, self.seeds, self.deaths, self.renewals = [], [], 0, 0

    def begin(self, kata, file, options):
        """Begin a check on what is in the file now."""
        check = Check(file.read_text(), died=self.deaths > 0)
        self.deaths -= 1
        self.checks.append(check)
        self.seeds.append(options.seed)
        return check

    def judge(self, kata, files, options):
        """Judge files at once."""
        return iter([self.begin(kata, file, options).report() for file in files])


class Disk(Saves):
    """Saves that a test announces."""

    def __init__(self, file):
        self.file, self.seen = file, None

    def changed(self):
        """Something happened."""
        self.seen = self.file.exists() or None
        return True

    def close(self):
        """Nothing to do."""


class Case:
    """A session with all that is around it."""

    def __init__(self, folder):
        self.file = folder / "v1.py"
        self.file.write_text("x = 1")
        self.judges, self.disk, self.time = Judges(), Disk(self.file), 100.0
        self.recorder = Recorder(Workspace(folder / "home"), "watch", keep=True)
        self.session = Session(
            Target(find("v1"), self.file), self.judges, self.recorder, Options(),
            time=lambda: self.time, saves=self.disk,
        )  # fmt: skip

    def save(self, text):
        """Write the file, or remove it, and say so."""
        self.file.unlink() if text is None else self.file.write_text(text)
        self.session.saved()

    def wait(self, seconds):
        """Let time pass."""
        self.time += seconds
        self.session.tick()

    @property
    def judged(self):
        """What the judges were asked, and whether it was dropped."""
        return [(check.text, check.dropped) for check in self.judges.checks]


@pytest.fixture
def case(tmp_path):
    """A session that has begun."""
    made = Case(tmp_path)
    made.session.begin()
    return made


def test_every_save_is_asked_the_same(case):
    """One seed for as long as a file is watched, so that reports can be held side by side."""
    case.save("x = 2")
    case.save("x = 3")
    assert len(case.judges.seeds) == 3
    assert len(set(case.judges.seeds)) == 1
    assert case.judges.seeds[0] is not None


def test_newer_save_drops_the_check_under_way(case):
    """Only the last state of the file gets a verdict, and that is recorded as watch's."""
    case.save("x = 2")
    case.save("x = 3")
    assert case.judged == [("x = 1", True), ("x = 2", True), ("x = 3", False)]
    assert case.session.arrived()
    assert case.session.report.object == "x = 3"
    (attempt,) = case.recorder.history.story()
    assert (attempt.asked_by, attempt.verdict) == ("watch", "fail")


@pytest.mark.parametrize("half", ["", "   \n", "class A(", "x = (1,\n"])
def test_half_written_file_gets_a_moment(case, half):
    """What does not parse is judged a moment later, unless the rest has come by then."""
    case.save(half)
    case.wait(0.1)
    assert len(case.judged) == 1
    case.save("x = 5")
    case.wait(5)
    assert case.judged[1:] == [("x = 5", False)]
    case.save(half)
    case.wait(0.3)
    assert case.judged[-1] == (half, False)


def test_file_removed_and_back(case):
    """A file that goes is missed after a moment, with its verdict, and judged when it is back."""
    assert case.session.arrived()
    case.save(None)
    assert not case.session.gone
    case.wait(0.3)
    assert case.session.gone
    assert case.session.report is None
    assert case.session.underway is None
    case.save("x = 9")
    assert not case.session.gone
    assert case.judged[-1] == ("x = 9", False)


def test_rename_over_is_no_removal(case):
    """Gone and back at once, as some editors save, is one check and no word of it."""
    case.save(None)
    case.save("x = 7")
    case.wait(5)
    assert not case.session.gone
    assert case.judged[1:] == [("x = 7", False)]


def test_judge_that_dies(case):
    """It is asked anew once, and said; if it dies of the file, that is the verdict."""
    case.judges.deaths = 1
    case.session.begin()
    assert [case.session.arrived(), case.session.arrived()] == [False, True]
    assert case.session.restarted
    assert case.session.report.verdict == "fail"
    case.session.begin()
    assert case.session.arrived()
    assert not case.session.restarted
    case.judges.deaths = 2
    case.session.begin()
    assert [case.session.arrived(), case.session.arrived()] == [False, True]
    assert case.session.restarted
    assert case.session.report.verdict == "error"
    assert "killed" in sentence(case.session.report.error.message, "en")


def test_restart_is_said_whichever_check_found_it(case):
    """Two saves in a burst: the dropped check found the judge dead, the next says it."""
    assert case.session.arrived()
    case.judges.renewals += 1
    case.save("x = 2")
    case.save("x = 3")
    assert case.session.arrived()
    assert case.session.restarted
    case.judges.deaths = 1
    case.save("x = 4")
    assert not case.session.arrived()
    case.save("x = 5")
    assert case.session.arrived()
    assert case.session.restarted


def test_what_to_watch(tmp_path, monkeypatch):
    """A kata without a file is handed out; its own file comes back; two files are refused."""
    monkeypatch.chdir(tmp_path)
    recorder = Recorder(Workspace(tmp_path / "home"))
    target = to_watch(["mha"], recorder)
    assert target.file.read_text() == find("mha").stub()
    target.file.write_text("mine")
    assert to_watch(["mha"], recorder).file.read_text() == "mine"
    assert to_watch([], recorder).kata.id == "mha"
    (tmp_path / "b.py").write_text("")
    with pytest.raises(Refusal, match="watch-one-file"):
        to_watch(["mha", "b.py", "mha.py"], recorder)
    again = opened(find("mha"), tmp_path, recorder, anew=True)
    assert again.file.read_text() == find("mha").stub()
    assert (tmp_path / "mha.py.bak1").read_text() == "mine"


@pytest.fixture
def saves(tmp_path):
    """A file that is watched."""
    folder = tmp_path / "work"
    folder.mkdir()
    file = folder / "mine.py"
    file.write_text("x = 1")
    watched = Saves(file)
    yield watched
    watched.close()


def news(saves):
    """Wait until the file is another one, and return whether it is there."""
    for _ in range(20):
        ready, _, _ = select.select([saves], [], [], 10)
        assert ready, "nothing was noticed"
        if saves.changed():
            return saves.seen is not None
    raise AssertionError("the file did not change")


def test_every_way_to_save_is_noticed(saves):
    """Written in place, renamed over, removed and back, and its folder removed and back."""
    file = saves.file
    file.write_text("x = 22")
    assert news(saves)
    beside = file.with_name(".mine.swp")
    beside.write_text("x = 333")
    beside.replace(file)
    assert news(saves)
    file.unlink()
    assert not news(saves)
    file.write_text("x = 4")
    assert news(saves)
    shutil.rmtree(file.parent)
    assert not news(saves)
    file.parent.mkdir()
    file.write_text("x = 55")
    assert news(saves)
    file.write_text("x = 666")
    assert news(saves)


@pytest.mark.parametrize(
    ("name", "text", "wanted"),
    [
        ("a.py", "x = 1", True), ("a.py", "def f(", False), ("a.py", " ", False),
        ("a.py", "\ufeffx = 1", True), ("a.py", "x = '\\d'", True), ("a.py", "x\0", False),
        ("a.ipynb", '{"cells": []}', True), ("a.ipynb", '{"cells": [', False),
        ("a.py", "-" * 100_000 + "1", True),
    ],
)  # fmt: skip
def test_whole(tmp_path, name, text, wanted):
    """A file is whole if it parses, and never warns or raises."""
    (tmp_path / name).write_text(text, "utf-8")
    assert whole(tmp_path / name) is wanted
    assert whole(tmp_path / "none.py") is False
