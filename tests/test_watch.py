"""`watch` on a pseudo-terminal, as a person has it: saves, keys, and what goes wrong."""

import codecs
import contextlib
import fcntl
import os
import pty
import re
import select
import shlex
import shutil
import signal
import struct
import subprocess
import sys
import termios
import time
from pathlib import Path

import pyte
import pytest
from attn_kata.kata.catalogue import find
from attn_kata.practice.history import History

# Seconds. What happens at all happens sooner, on the busiest of machines.
_NEVER = 120
PROGRAM = [sys.executable, "-m", "attn_kata"]
ALONE = [sys.executable, str(Path(__file__).parent / "terminal" / "watch_alone.py"), "en"]
# A program that the terminal is the controlling one of, as it is of a shell.
OWN = """
import fcntl, os, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY)
os.execvp(sys.argv[1], sys.argv[1:])
"""
OWNING = [sys.executable, "-c", OWN]
RIGHT = find("v1").solution()
WRONG = RIGHT.replace(" / math.sqrt(self.hidden_dim)", "")
FAILS, PASSES = "# fail\nx = 1\n", "# pass\nx = 1\n"
OWN_SCREEN, BACK = "\x1b[?1049h", "\x1b[?1049l"
SHOW_CURSOR, HIDE_CURSOR = "\x1b[?25h", "\x1b[?25l"


class Terminal:
    """A terminal of 80 by 24 with a program in it."""

    def __init__(self, folder, command, **environment):
        self.master, slave = pty.openpty()
        self.glass = pyte.Screen(80, 24)
        self.stream = pyte.Stream(self.glass)
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.written = ""
        self.resize(80, 24)
        self.manners = termios.tcgetattr(self.master)
        surroundings = {
            name: os.environ[name] for name in os.environ if name not in {"COLUMNS", "LINES"}
        }
        self.program = subprocess.Popen(
            command, cwd=folder, stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True,
            env={**surroundings, "TERM": "xterm-256color", "ATTN_KATA_HOME": str(folder / "home"),
                 **environment},
        )  # fmt: skip
        os.close(slave)

    def resize(self, columns, rows):
        """Give the terminal another size."""
        self.glass.resize(rows, columns)
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    @property
    def screen(self):
        """What is on the screen now."""
        return "\n".join(row.rstrip() for row in self.glass.display)

    def until(self, *words):
        """Wait for words to stand on the screen together; return the screen."""
        late = time.monotonic() + _NEVER
        while not all(word in self.screen for word in words):
            ready, _, _ = select.select([self.master], [], [], max(0, late - time.monotonic()))
            assert ready, f"never came: {words}; on the screen:\n{self.screen}"
            assert self._read(), f"ended before {words}:\n{self.screen}"
        return self.screen

    def tells(self, *words):
        """Wait for words to be written one after another, scrolled off or not; return it all."""
        late = time.monotonic() + _NEVER
        while not re.search(".*".join(map(re.escape, words)), self.written, re.DOTALL):
            ready, _, _ = select.select([self.master], [], [], max(0, late - time.monotonic()))
            assert ready, f"never came: {words}; written:\n{self.written}"
            assert self._read(), f"ended before {words}:\n{self.written}"
        return self.written

    def press(self, keys):
        """Type."""
        os.write(self.master, keys.encode())

    def left(self):
        """Wait for the end; return the exit status."""
        while select.select([self.master], [], [], 20)[0] and self._read():
            pass
        return self.program.wait(20)

    @property
    def as_it_was(self):
        """Whether the terminal is as before: its modes, its screen and its cursor."""
        return (
            termios.tcgetattr(self.master) == self.manners
            and self.written.count(OWN_SCREEN) == self.written.count(BACK) > 0
            and self.written.rfind(SHOW_CURSOR) > self.written.rfind(HIDE_CURSOR)
        )

    def close(self):
        """End the program, if it is still there."""
        if self.program.poll() is None:
            # A shell ends at this alone.
            self.program.send_signal(signal.SIGHUP)
            self.program.wait(20)
        with contextlib.suppress(OSError):
            os.close(self.master)

    def _read(self):
        """Take in what was written; nothing at the end."""
        try:
            fresh = self.decoder.decode(os.read(self.master, 1 << 16))
        except OSError:
            return ""
        self.written += fresh
        # pyte has one screen alone: a program's own begins empty.
        self.stream.feed(fresh.replace(OWN_SCREEN, "\x1b[2J\x1b[H"))
        return fresh


@pytest.fixture
def terminal(tmp_path):
    """Start the program in a terminal, in an empty folder."""
    opened = []

    def start(*arguments, program=PROGRAM, **environment):
        opened.append(Terminal(tmp_path, [*program, *arguments], **environment))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


@pytest.mark.usefixtures("shared_judge")
def test_save_fail_save_pass_next(terminal, tmp_path):
    """A stub is handed out, judged at every save, passed, and the next one comes by a key."""
    at = terminal("watch", "v1")
    at.until("not written yet", "q quit")
    file = tmp_path / "v1.py"
    file.write_text(WRONG)
    failing = at.until("FAIL", "scale-missing", "t trace")
    assert "n next" not in failing
    assert failing.startswith("v1  v1.py  SelfAttentionV1")
    at.press("t")
    at.until("step of attention it completes", "b back")
    at.press("h")
    at.until("hint 1 of 3")
    at.press("w")
    at.until("scale-missing", "more lines: Space")
    at.press("s")
    at.until("press s again")
    # As an editor does that writes beside and renames.
    beside = tmp_path / ".v1.py.swp"
    beside.write_text(RIGHT)
    beside.replace(file)
    passing = at.until("PASS", "2 checks", "1 hint", "write it again", "n next kata")
    assert passing.startswith("v1  v1.py  SelfAttentionV1")
    at.press("n")
    at.until("SelfAttentionV2", "not written yet")
    assert (tmp_path / "v2.py").read_text() == find("v2").stub()
    at.press("l")
    at.until("> v2", "passed")
    at.press("\x1b[A\r")
    at.until("SelfAttentionV1", "PASS")
    at.press("q")
    assert at.left() == 0
    assert at.as_it_was
    # What stays is the verdict, and the way on.
    assert "attn-kata watch v2" in at.screen
    told = [getattr(one, "verdict", "") for one in History(tmp_path / "home").story()]
    assert [verdict for verdict in told if verdict] == ["error", "fail", "pass", "error", "pass"]


@pytest.mark.costly
def test_file_and_judge_that_go_away(terminal, tmp_path):
    """A file that is removed is waited for; a judge that is killed is started again, and said."""
    file = tmp_path / "mine.py"
    file.write_text(RIGHT)
    at = terminal("watch", "v1", "mine.py")
    at.until("PASS")
    file.unlink()
    at.until("mine.py is missing")
    file.write_text(WRONG)
    at.until("FAIL", "scale-missing")
    for child in _children(at.program.pid):
        _kill(child)
    file.write_text(RIGHT)
    at.until("PASS", "restarted")
    at.press("\x03")
    assert at.left() == 130
    assert at.as_it_was


@pytest.fixture
def alone(terminal, tmp_path):
    """Watch a file with a judge that needs no torch."""

    def start(**environment):
        (tmp_path / "v1.py").write_text(FAILS)
        at = terminal("v1.py", program=ALONE, **environment)
        at.until("FAIL", "q quit")
        return at

    return start


def test_keys_that_come_in_parts(alone):
    """An arrow's sequence is one key, also where a slow line cuts it; Escape alone is another."""
    at = alone()
    at.press("b")
    below = re.search(r"↓ (\d+) more", at.until("v1 · ", "more lines"))
    assert below is not None
    for part in "\x1b[B":
        at.press(part)
        time.sleep(0.03)
    at.until(f"↓ {int(below[1]) - 1} more")
    assert "v1 · " not in at.screen
    at.press("\x1b")
    at.until("FAIL")


def test_resize(alone):
    """A terminal that is made smaller is drawn anew at once."""
    at = alone()
    at.resize(50, 10)
    os.kill(at.program.pid, signal.SIGWINCH)
    rows = at.until("↓", "? keys").splitlines()
    assert rows[0].endswith("FAIL")
    assert len(rows[0]) == 50


@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_signals_that_end_it(alone, number, status):
    """The terminal is put back, and whoever started it is told what ended it."""
    at = alone()
    at.program.send_signal(number)
    assert at.left() == status
    assert at.as_it_was


@pytest.mark.parametrize("program", [ALONE, [*OWNING, *ALONE]], ids=["unheard", "signalled"])
def test_terminal_that_is_closed(terminal, tmp_path, program):
    """The program ends, whether the signal reaches it or it finds nobody at the keys."""
    (tmp_path / "v1.py").write_text(FAILS)
    at = terminal("v1.py", program=program)
    at.until("FAIL", "q quit")
    os.close(at.master)
    assert at.program.wait(20) == 129


def test_stopped_and_continued(terminal, tmp_path):
    """Ctrl-Z gives the terminal back to the shell; in the foreground again it is all there."""
    (tmp_path / "v1.py").write_text(FAILS)
    shell = shutil.which("bash") or pytest.skip("needs a shell with jobs")
    at = terminal(program=[*OWNING, shell, "--norc", "--noprofile", "-i"], PS1="$ ")
    at.until("$")
    at.press(shlex.join(["/usr/bin/env", *ALONE, "v1.py"]) + "\n")
    at.until("FAIL", "q quit")
    at.press("\x1a")
    at.until("Stopped")
    assert at.written.count(OWN_SCREEN) == at.written.count(BACK) == 1
    at.press("echo 'it e''choes'\n")
    at.until("\nit echoes")
    (tmp_path / "v1.py").write_text(PASSES)
    at.press("fg\n")
    at.until("PASS", "n next kata")
    # Stopped by another, it had no time to put the terminal back.
    (watching,) = _children(at.program.pid)
    os.kill(watching, signal.SIGSTOP)
    at.until("Stopped")
    at.press("fg\n")
    at.until("PASS", "n next kata")
    at.press("\x0cb")
    at.until("v1 · ")
    at.press("q")
    at.until("attn-kata watch v2")
    # What was on the shell's screen is there still.
    outside = re.split(f"{re.escape(OWN_SCREEN)}.*?{re.escape(BACK)}", at.written, flags=re.DOTALL)
    assert not any("\x1b[2J" in part for part in outside)
    at.press("exit 7\n")
    assert at.left() == 7


def _children(pid):
    found = Path(f"/proc/{pid}/task/{pid}/children")
    if not found.exists():
        pytest.skip("cannot find a process's children here")
    return [int(child) for child in found.read_text().split()]


@pytest.mark.usefixtures("shared_judge")
def test_chinese(terminal, tmp_path):
    """All of the screen speaks the person's language."""
    at = terminal("watch", "v1", "--lang", "zh")
    at.until("q 退出", "h 提示", "还没有写")
    at.press("q")
    assert at.left() == 0


@pytest.mark.usefixtures("shared_judge")
@pytest.mark.parametrize("kind", ["a dumb terminal", "no keyboard"])
def test_terminal_without_keys(terminal, tmp_path, kind):
    """Verdicts come one below the other, and Ctrl-C ends it."""
    file = tmp_path / "mine.py"
    file.write_text(WRONG)
    command = [*PROGRAM, "watch", "v1", "mine.py"]
    environment = {**os.environ, "ATTN_KATA_HOME": str(tmp_path / "home")}
    if kind == "a dumb terminal":
        at = terminal("watch", "v1", "mine.py", TERM="dumb")
        at.tells("press Ctrl-C to stop", "FAIL", "attn-kata explain scale-missing")
        file.write_text(RIGHT)
        text = at.tells("FAIL", "PASS", "attn-kata watch v2")
        assert "\x1b" not in text
        assert "q quit" not in text
        at.program.send_signal(signal.SIGINT)
        assert at.left() == 130
        return
    with subprocess.Popen(
        command, cwd=tmp_path, env=environment, stdin=subprocess.DEVNULL, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    ) as program:  # fmt: skip
        try:
            assert program.stdout is not None
            assert "FAIL" in program.stdout.readline()
            file.write_text(RIGHT)
            while "PASS" not in program.stdout.readline():
                assert program.poll() is None
            program.send_signal(signal.SIGINT)
            program.communicate(timeout=_NEVER)
        finally:
            program.kill()
    assert program.returncode == 130


def _kill(pid):
    """Kill a process and wait until it is dead: one that is still dying may answer once more."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    late = time.monotonic() + _NEVER
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        while Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX":
            assert time.monotonic() < late
            time.sleep(0.01)
