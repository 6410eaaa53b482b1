"""The program's name alone, `next`, `reset` and `run`: where one stands, and what comes next.

REGENERATE_GOLDEN=1 writes the stored screens anew.
"""

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pyte
import pytest
from attn_kata import __main__ as start
from attn_kata.checker.report.report import Report
from attn_kata.cli import main
from attn_kata.kata.catalogue import find, katas
from attn_kata.kata.slips import slips
from attn_kata.practice import clock
from attn_kata.practice.history import Attempt, Event, History
from attn_kata.practice.pages import grouped, page_called, page_names, pages_of
from attn_kata.terminal import program
from attn_kata.terminal.pages import first_sentence

GOLDEN = Path(__file__).parent / "terminal" / "golden"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
DAY = 86400.0
# A Friday noon, so that no test runs into another day.
NOW = 1795176000.0


@pytest.fixture
def work(tmp_path, monkeypatch):
    """The folder that a person stands in, with a home of its own, at a fixed time."""
    monkeypatch.setenv("ATTN_KATA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("TZ", "UTC")
    time.tzset()
    monkeypatch.setattr(clock, "now", lambda: NOW)
    for name in ("VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def said(work, capfd):
    """Run the program here and now; return its status and both streams."""

    def run(*arguments):
        status = main(list(arguments))
        told = capfd.readouterr()
        return status, told.out, told.err

    return run


@pytest.fixture
def history(work, tmp_path):
    """What happened to a person who has passed two katas and begun a third."""
    past = History(tmp_path / "home")
    for days, kata in ((2, "v1"), (1, "v2")):
        begun = NOW - days * DAY
        past.note(Event(kata=kata, kind="start", detail=str(work / f"{kata}.py"), time=begun))
        report = Report(kata=kata, file=str(work / f"{kata}.py"), verdict="pass")
        past.add(Attempt.of(report, "h", "watch"))
    return past


def golden(name, language, text, *, work):
    """Hold a screen against the file that is stored of it, or store it where asked to."""
    file = GOLDEN / f"{name}.{language}.80.txt"
    shown = text.replace(str(work.parent), "/home/me")
    # How many katas there are follows from the data.
    for count in (f"of {len(katas())} katas", f"{len(katas())} 道题"):
        shown = shown.replace(count, count.replace(str(len(katas())), "ALL"))
    if os.environ.get("REGENERATE_GOLDEN"):
        file.write_text(shown, "utf-8")
    assert shown == file.read_text("utf-8")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_screens(said, work, history, language):
    """Each screen as it is stored: for a person in the middle of it, at 80 columns."""
    (work / "v3.py").write_text(find("v3").stub())
    history.note(Event(kata="v3", kind="start", detail=str(work / "v3.py"), time=NOW - 60))
    for name, arguments in (
        ("home-begun", ()),
        ("next-begun", ("next",)),
        ("reset", ("reset", "v3", "--yes")),
        ("config", ("config",)),
        ("forget", ("forget",)),
    ):
        status, out, _ = said("--lang", language, *arguments)
        assert status == 0
        assert max(map(len, out.splitlines())) <= 90
        golden(name, language, out, work=work)


@pytest.mark.parametrize("place", ["_run", "take_packs"])
def test_interrupted_before_it_began(work, capfd, monkeypatch, place):
    """Ctrl-C while the program is being loaded ends it as later, and shows no traceback."""

    def interrupted(*_):
        raise KeyboardInterrupt

    module = start if place == "_run" else program
    monkeypatch.setattr(module, place, interrupted)
    monkeypatch.setattr(sys, "argv", ["attn-kata", "list"])
    assert start.main() == 130
    assert capfd.readouterr().err.strip() in {"", "interrupted"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_first_screen(said, work, language):
    """Whoever has done nothing yet is told what this is, and the first thing to do."""
    status, out, _ = said("--lang", language)
    assert status == 0
    golden("home-new", language, out, work=work)


def test_order_of_what_comes_next(said, work, history, monkeypatch):
    """What was begun goes on, then what is due, then a new one; where all is done, that is said."""
    assert "v3.py" in said()[1]
    monkeypatch.setattr(clock, "now", lambda: NOW + 30 * DAY)
    shown = said()[1]
    assert "due today: v2 v1" in shown
    assert "to be written again from an empty stub" in shown
    (work / "v2.py").write_text("mine")
    handed = said("next")[1]
    assert "v2.py.bak1" in handed
    assert (work / "v2.py").read_text("utf-8") == find("v2").stub()
    again = said("next")[1]
    assert "passed before and begun again: go on in v2.py" in again
    assert "重新开始写了：接着写 v2.py" in said("--lang", "zh")[1]
    for kata in katas():
        report = Report(kata=kata.id, file=str(work / "x.py"), verdict="pass")
        history.add(Attempt.of(report, "new"))
    assert "every kata is passed" in said()[1]


def test_what_was_begun_by_hand(said, work):
    """A file with a new kata's name is gone on with: nobody puts a stub in its place."""
    (work / "v1.py").write_text("mine")
    assert "go on in v1.py" in said()[1]
    assert "go on in v1.py" in said("next")[1]
    assert (work / "v1.py").read_text() == "mine"


def test_what_was_begun_elsewhere(said, work, history):
    """Another folder's file is named with its path; `next` takes nothing of it."""
    other = work.parent / "other" / "v3.py"
    other.parent.mkdir()
    other.write_text("mine")
    history.note(Event(kata="v3", kind="start", detail=str(other), time=NOW - 60))
    # The history alone does not say where a file is now.
    assert "v3.py" in said()[1]
    (work.parent / "home" / "workspace.json").write_text(f'{{"files": {{"v3": "{other}"}}}}')
    told = said("next")[1]
    assert f"attn-kata watch v3 {other}" in " ".join(told.split())
    assert other.read_text() == "mine"
    assert not list(work.iterdir())
    assert said("reset", "v3", "--yes")[0] == 2
    assert other.read_text() == "mine"


def test_reset_keeps_what_was_there(said, work):
    """A fresh stub takes the file's name, under which nothing is lost; unasked, nothing is done."""
    said("start", "v1")
    (work / "v1.py").write_text("mine")
    status, _, err = said("reset", "v1")
    assert status == 2
    assert "attn-kata reset v1 --yes" in err
    assert (work / "v1.py").read_text() == "mine"
    assert "v1.py.bak1" in said("reset", "v1", "--yes")[1]
    assert (work / "v1.py.bak1").read_text() == "mine"
    assert said("reset", "v2")[0] == 2


def test_reset_takes_the_stubs_file(said, work):
    """Whichever file was judged last, another one in the folder is left as it is."""
    said("start", "v1")
    (work / "try.py").write_text("# attn-kata: v1\nx = (\n")
    said("check", "try.py")
    said("reset", "v1", "--yes")
    assert (work / "try.py").read_text().endswith("x = (\n")
    assert (work / "v1.py.bak1").exists()


def test_run_is_the_files_own_output(said, work, tmp_path):
    """The file runs as a script with this Python: its output, traceback and status; no record."""
    said("start", "v1")
    (work / "v1.py").write_text("import sys\nprint(sys.executable)\nsys.exit(7)\n")
    status, out, err = said("run")
    assert (status, out) == (7, f"{sys.executable}\n")
    assert "v1.py" in err
    (work / "v1.py").write_text("def f():\n    raise KeyError('q')\n\nf()\n")
    status, _, err = said("run", "v1")
    assert status == 1
    assert 'File "' in err
    assert "KeyError: 'q'" in err
    assert History(tmp_path / "home").count() == 0
    (work / "a.ipynb").write_text("{}")
    assert said("run", "v1", "a.ipynb")[0] == 2
    assert "standard input is not one" in said("run", "-")[2]


@pytest.mark.parametrize("command", ["run", "watch"])
def test_one_file_at_a_time(said, work, command):
    """Where two are named, the first of them is what to type."""
    for name in ("a.py", "b.py"):
        (work / name).write_text("# attn-kata: v1\n")
    refused = said(command, "a.py", "b.py")[2]
    assert "one file at a time" in refused
    assert f"next:  attn-kata {command} a.py\n" in refused
    assert f"next:  attn-kata {command} v1 b.py\n" in said(command, "v1", "b.py", "a.py")[2]
    assert said("run", "v1", "v1.py", "v1.py")[0] == 2


@pytest.mark.parametrize(
    ("setting", "variables", "words"),
    [
        ("", {}, "no editor is set"),
        ("", {"EDITOR": "no-such-editor -w"}, "no editor called `no-such-editor`"),
        ("", {"EDITOR": "'"}, "cannot be split"),
        ("", {"EDITOR": "false", "VISUAL": "{python} {mark} -a"}, ""),
        ("{python} {mark} -a", {"VISUAL": "false"}, ""),
    ],
)
def test_editor(said, work, monkeypatch, setting, variables, words):
    """The setting goes first, then VISUAL, then EDITOR, with its arguments; else it is said."""
    mark = work.parent / "mark.py"
    mark.write_text("import sys\nopen(sys.argv[2], 'a').write('# ' + sys.argv[1])\n")
    values = {"python": sys.executable, "mark": mark}
    for name, value in variables.items():
        monkeypatch.setenv(name, value.format(**values))
    if setting:
        assert said("config", "editor", setting.format(**values))[0] == 0
    status, _, err = said("next", "--edit")
    assert status == (2 if words else 0)
    assert words in err
    # Where there is no editor, nothing is handed out either.
    assert (work / "v1.py").exists() == (not words)
    assert words or (work / "v1.py").read_text("utf-8").endswith("# -a")


def test_explain_names_every_page():
    """Alone it lists each page once; a kata's list has every mistake that its code can show."""
    listed = [name for group in grouped() for name in group.names]
    assert sorted(listed) == sorted(page_names())
    for kata in katas():
        mine = {name for group in pages_of(kata) for name in group.names}
        wanted = {slip.id for slip in slips(kata.folder)}
        assert wanted & set(page_names()) <= mine, kata.id


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_page_has_its_sentence(language):
    """The list says of each page what it is about: one sentence, and no remark's opening."""
    for name in page_names():
        told = first_sentence(page_called(name, language))
        assert told.strip()
        word = told.split()[0]
        assert language == "zh" or not word.isalpha() or word[0].isupper(), name
        assert not told.endswith((".", "。"))
        assert not told.startswith(("A remark", "这是一条备注"))
        assert len(told) < 200, name


@contextlib.contextmanager
def terminal(work, *arguments, **environment):
    """The program on a terminal of 80 by 24; yields it, what types, and what waits for words."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
    kept = {name: os.environ[name] for name in os.environ if name not in {"COLUMNS", "LINES"}}
    program = subprocess.Popen(
        [sys.executable, "-m", "attn_kata", *arguments], cwd=work, stdin=slave, stdout=slave,
        stderr=slave, start_new_session=True, env={**kept, "TERM": "xterm-256color", **environment},
    )  # fmt: skip
    os.close(slave)
    written = ""
    glass = pyte.Screen(80, 24)
    stream = pyte.Stream(glass)

    def shown(word):
        # What is drawn over what stood there is whole on the screen alone.
        return word in ESCAPES.sub("", written) or word in "\n".join(glass.display)

    def until(*words, ended=False):
        nonlocal written
        late = time.monotonic() + 60
        while ended or not all(map(shown, words)):
            ready, _, _ = select.select([master], [], [], max(0, late - time.monotonic()))
            assert ready, f"never came: {words}\n{written}"
            try:
                read = os.read(master, 1 << 16).decode()
            except OSError:
                break
            written += read
            stream.feed(read)
        return ESCAPES.sub("", written)

    try:
        yield program, lambda keys: os.write(master, keys.encode()), until
    finally:
        with contextlib.suppress(subprocess.TimeoutExpired):
            program.wait(20)
        program.kill()
        os.close(master)


@pytest.mark.costly
def test_enter_begins(work):
    """Enter hands out the stub and watches it; anything else leaves, and nothing is written."""
    with terminal(work) as (_, type_, until):
        until("Enter: begin with v1")
        type_("q\n")
        until(ended=True)
    assert not list(work.iterdir())
    with terminal(work) as (_, type_, until):
        until("Enter: begin with v1")
        type_("\n")
        until("SelfAttentionV1", "not written yet", "q quit")
        type_("q")
        until(ended=True)
    assert (work / "v1.py").read_text("utf-8") == find("v1").stub()
    with terminal(work) as (_, type_, until):
        until("Enter: go on with v1")
        type_("q\n")
        until(ended=True)


def _waits(pid):
    """Let a process come to its question: a signal just before the read is heard after it."""
    stat = Path(f"/proc/{pid}/stat")
    while stat.exists() and stat.read_text().rpartition(") ")[2][0] != "S":
        time.sleep(0.01)


def test_asked_on_a_terminal(work, tmp_path):
    """Another folder's file is asked about, in the chosen language; Ctrl-C ends the line."""
    file = tmp_path / "other.py"
    file.write_text("print('ran')\n")
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "workspace.json").write_text(f'{{"files": {{"v1": "{file}"}}}}')
    with terminal(work, "run", "v1") as (_, type_, until):
        until("take", "other.py", "[y/N]")
        type_("y\n")
        assert "ran" in until(ended=True)
    with terminal(work, "run", "v1", "--lang", "zh") as (_, type_, until):
        until("用", "other.py", "吗？", "[y/N]")
        type_("x\n")
        until("请输入 y 或 n")
        type_("\n")
        shown = until(ended=True)
        assert "Error" not in shown
        assert "ran" not in shown
    with terminal(work, "run", "v1") as (program, _, until):
        until("[y/N]")
        _waits(program.pid)
        program.send_signal(signal.SIGINT)
        assert until(ended=True).splitlines()[-1] == "interrupted"


@pytest.mark.parametrize(("pager", "paged"), [("sed s/^/P:/", True), ("no-such-pager", False)])
def test_long_screens_are_paged(work, pager, paged):
    """What is longer than the terminal goes through the pager; a missing one costs nothing."""
    with terminal(work, "list", PAGER=pager) as (_, _, until):
        shown = until(ended=True)
    assert ("P:" in shown) == paged
    assert "attn-kata watch v1" in shown
