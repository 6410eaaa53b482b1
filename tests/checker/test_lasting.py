"""A judge that stays: who finds it, what it sees, and how it ends."""

import json
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

START = "import sys; from attn_kata.__main__ import main; sys.exit(main())"
# Passes where the submission sees what it is to see; its own file says what that is.
SEES = """
import os, math
assert os.environ["SEEN"] == {seen!r}, os.environ["SEEN"]
assert os.path.exists("here.txt") == {here}, os.listdir()
from torch import nn
class SelfAttentionV1(nn.Module):
    def __init__(self, hidden_dim):
        super().__init__()
        self.query, self.key, self.value = (nn.Linear(hidden_dim, hidden_dim) for _ in range(3))
    def forward(self, x):
        q, k, v = self.query(x), self.key(x), self.value(x)
        return (q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1])).softmax(dim=-1) @ v
"""


@pytest.fixture
def runtime():
    """A runtime folder of the test's own; a socket's name has to be short."""
    with tempfile.TemporaryDirectory(prefix="kata-", dir="/tmp") as folder:
        yield Path(folder)


@pytest.fixture
def run(tmp_path, runtime):
    """Run the program with judges that stay in that folder."""
    environment = {
        **os.environ, "XDG_RUNTIME_DIR": str(runtime), "ATTN_KATA_KEEP": "5",
        "ATTN_KATA_HOME": str(tmp_path / "home"), "SEEN": "first",
    }  # fmt: skip

    def done(*arguments, cwd=tmp_path, wait=True, **more):
        held = subprocess.Popen(
            [sys.executable, "-c", START, *arguments], cwd=cwd, env={**environment, **more},
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip
        return held if not wait else read(held)

    yield done
    done("stop")


def read(held):
    """Wait for a program and its pipes: one that nobody closes would hold this up."""
    out, err = held.communicate(timeout=200)
    assert "Traceback" not in err, err
    return out


def judges(run):
    """The processes that the doctor sees staying."""
    told = " ".join(run("doctor", "--no-torch").split())
    found = re.search(r"\d+ running \(([\d, ]+)\)", told)
    return [int(pid) for pid in re.findall(r"\d+", found[1])] if found else []


def verdict(out):
    """The verdict of one report."""
    return json.loads(out)["verdict"]


@pytest.mark.costly
def test_the_next_command_finds_it(run, runtime, tmp_path):
    """A second command, elsewhere and with other variables, has its own folder and environment."""
    (tmp_path / "mine.py").write_text(SEES.format(seen="first", here=False))
    assert verdict(run("check", "v1", "mine.py", "--json")) == "pass"
    (pid,) = judges(run)
    other = tmp_path / "other"
    other.mkdir()
    (other / "here.txt").write_text("here")
    (other / "mine.py").write_text(SEES.format(seen="second", here=True))
    assert verdict(run("check", "v1", "mine.py", "--json", cwd=other, SEEN="second")) == "pass"
    assert judges(run) == [pid]
    (socket,) = (runtime / "attn-kata").glob("*.sock")
    assert stat.S_IMODE(socket.stat().st_mode) == 0o600
    assert stat.S_IMODE(socket.parent.stat().st_mode) == 0o700
    # What an interpreter reads as it starts makes it another one's.
    assert verdict(run("check", "v1", "mine.py", "--json", cwd=other, SEEN="second",
                       PYTHONHASHSEED="7")) == "pass"  # fmt: skip
    assert len(judges(run)) == 2
    assert "2 judges stopped" in run("stop")
    end = time.monotonic() + 20
    while os.path.exists(f"/proc/{pid}") and time.monotonic() < end:  # noqa: PTH110
        time.sleep(0.05)
    assert not os.path.exists(f"/proc/{pid}")  # noqa: PTH110
    assert list(socket.parent.glob("*.sock")) == []


@pytest.mark.costly
def test_two_at_once_and_one_that_was_killed(run, tmp_path):
    """Two commands at once both answer; where the judge was killed, the next starts its own."""
    (tmp_path / "mine.py").write_text(SEES.format(seen="first", here=False))
    both = [run("check", "v1", "mine.py", "--json", wait=False) for _ in range(2)]
    assert [verdict(read(one)) for one in both] == ["pass", "pass"]
    (pid,) = judges(run)
    os.kill(pid, signal.SIGKILL)
    assert verdict(run("check", "v1", "mine.py", "--json")) == "pass"
    (after,) = judges(run)
    assert after != pid


@pytest.mark.costly
def test_none_stays_unasked(run, tmp_path):
    """With 0 minutes nothing is left behind."""
    (tmp_path / "mine.py").write_text(SEES.format(seen="first", here=False))
    assert verdict(run("check", "v1", "mine.py", "--json", "--keep", "0")) == "pass"
    assert judges(run) == []
    assert "no judge was left running" in run("stop")
