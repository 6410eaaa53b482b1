"""`watch` on a pseudo-terminal, as a person has it: saves, keys, and what goes wrong."""

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

import pytest
from attn_kata.kata.catalogue import find
from attn_kata.practice.history import History

ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\r")
PROGRAM = [sys.executable, "-m", "attn_kata"]
RIGHT = find("v1").solution()
WRONG = RIGHT.replace(" / math.sqrt(self.hidden_dim)", "")


class Terminal:
    """A terminal of 80 by 24 with the program in it. The program clears before it draws."""

    def __init__(self, folder, *arguments, **environment):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        surroundings = {
            name: os.environ[name] for name in os.environ if name not in {"COLUMNS", "LINES"}
        }
        self.program = subprocess.Popen(
            [*PROGRAM, *arguments], cwd=folder, stdin=slave, stdout=slave, stderr=slave,
            start_new_session=True,
            env={**surroundings, "TERM": "xterm-256color", "ATTN_KATA_HOME": str(folder / "home"),
                 **environment},
        )  # fmt: skip
        os.close(slave)
        self.master = master
        self.written = ""

    @property
    def screen(self):
        """What is on the screen now."""
        return ESCAPES.sub("", self.written.rpartition("\x1b[2J")[2])

    def until(self, *words, seconds=30):
        """Wait for words to stand on the screen together; return the screen."""
        late = time.monotonic() + seconds
        while not all(word in self.screen for word in words):
            ready, _, _ = select.select([self.master], [], [], max(0, late - time.monotonic()))
            assert ready, f"never came: {words}; on the screen:\n{self.screen}"
            try:
                self.written += os.read(self.master, 1 << 16).decode()
            except OSError:
                raise AssertionError(f"ended before {words}:\n{self.screen}") from None
        return self.screen

    def press(self, keys):
        """Type."""
        os.write(self.master, keys.encode())

    def left(self):
        """Wait for the end; return the exit status."""
        while select.select([self.master], [], [], 20)[0]:
            try:
                if not os.read(self.master, 1 << 16):
                    break
            except OSError:
                break
        return self.program.wait(20)

    def close(self):
        """End the program, if it is still there."""
        if self.program.poll() is None:
            self.program.send_signal(signal.SIGTERM)
            self.program.wait(20)
        os.close(self.master)


@pytest.fixture
def terminal(tmp_path):
    """Start the program in a terminal, in an empty folder."""
    opened = []

    def start(*arguments, **environment):
        opened.append(Terminal(tmp_path, *arguments, **environment))
        return opened[-1]

    yield start
    for one in opened:
        one.close()


def test_save_fail_save_pass_next(terminal, tmp_path):
    """A stub is handed out, judged at every save, passed, and the next one comes by a key."""
    at = terminal("watch", "v1")
    at.until("not written yet", "q quit")
    file = tmp_path / "v1.py"
    file.write_text(WRONG)
    failing = at.until("FAIL", "scale-missing", "t trace")
    assert "n next" not in failing
    assert len(failing.strip("\n").splitlines()) <= 24
    at.press("t")
    at.until("step of attention it completes", "b back")
    at.press("h")
    at.until("hint 1 of 3")
    at.press("w")
    at.until("scale-missing", "more lines: space")
    at.press("s")
    at.until("press s again")
    # As an editor does that writes beside and renames.
    beside = tmp_path / ".v1.py.swp"
    beside.write_text(RIGHT)
    beside.replace(file)
    passing = at.until("PASS", "2 checks", "1 hint", "write it again", "n next kata")
    assert len(passing.strip("\n").splitlines()) <= 24
    at.press("n")
    at.until("SelfAttentionV2", "not written yet")
    assert (tmp_path / "v2.py").read_text() == find("v2").stub()
    at.press("l")
    at.until("type a number to open that kata", "passed")
    at.press("1")
    at.until("SelfAttentionV1", "PASS")
    at.press("q")
    assert at.left() == 0
    told = [getattr(one, "verdict", "") for one in History(tmp_path / "home").story()]
    assert [verdict for verdict in told if verdict] == ["error", "fail", "pass", "error", "pass"]


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


def _children(pid):
    found = Path(f"/proc/{pid}/task/{pid}/children")
    if not found.exists():
        pytest.skip("cannot find a process's children here")
    return [int(child) for child in found.read_text().split()]


def test_chinese(terminal, tmp_path):
    """All of the screen speaks the person's language."""
    at = terminal("watch", "v1", "--lang", "zh")
    at.until("q 退出", "h 提示", "还没有写")
    at.press("q")
    assert at.left() == 0


@pytest.mark.parametrize("kind", ["a dumb terminal", "no keyboard"])
def test_terminal_without_keys(terminal, tmp_path, kind):
    """Verdicts come one below the other, and Ctrl-C ends it."""
    file = tmp_path / "mine.py"
    file.write_text(WRONG)
    command = [*PROGRAM, "watch", "v1", "mine.py"]
    environment = {**os.environ, "ATTN_KATA_HOME": str(tmp_path / "home")}
    if kind == "a dumb terminal":
        at = terminal("watch", "v1", "mine.py", TERM="dumb")
        at.until("press Ctrl-C to stop", "FAIL", "attn-kata explain scale-missing")
        file.write_text(RIGHT)
        text = at.until("PASS", "attn-kata watch v2")
        assert "\x1b" not in at.written
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
            program.communicate(timeout=20)
        finally:
            program.kill()
    assert program.returncode == 130


def _kill(pid):
    """Kill a process and wait until it is dead: one that is still dying may answer once more."""
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
    late = time.monotonic() + 20
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        while Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] not in "ZX":
            assert time.monotonic() < late
            time.sleep(0.01)
