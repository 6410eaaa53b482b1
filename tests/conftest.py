"""What every test relies on: one thread, 80 columns, no colour, English, a home of its own.

And which rows of the large enumerations are met: `make test` takes as many of each however many
there are, and others at every commit.
"""

import os
import shutil
import signal
import subprocess
import tempfile
import zlib
from collections import defaultdict
from pathlib import Path

import pytest
from attn_kata.checker.process import lasting
from attn_kata.checker.report.message import Message
from attn_kata.kata.catalogue import Kata
from attn_kata.practice import database
from hypothesis import settings

# Before torch is imported here or in a child: two workers share two cores.
os.environ.setdefault("OMP_NUM_THREADS", "1")
# Tests leave no judge behind; those of judges that stay say so themselves.
os.environ["ATTN_KATA_KEEP"] = "0"

# Sizes are drawn alike on every machine, so a failure in CI is a failure here.
settings.register_profile("repeatable", deadline=None, derandomize=True, database=None)
settings.load_profile("repeatable")

ROOT = Path(__file__).parent.parent

# How many rows a slice takes, about, where a mark does not say it: so a run does not grow with
# what is listed. And how many a test may have that is not marked.
SIZES = {"enumeration": 12, "each_kata": 3}
MOST = 64
# Of what costs the most, a run has one test in so many.
TURNS = 4

# A shell that runs this in the background has it ignore Ctrl-C, `nohup` a hangup, and so would
# the programs that it starts, some of which are ended by these here.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


def pytest_addoption(parser):
    """Add --slow, --slice, --said and --all."""
    parser.addoption("--slow", action="store_true", help="run the tests marked slow too")
    parser.addoption("--slice", metavar="K", type=_turn, help=(
        "of each enumeration, some rows: those whose turn is K, or `commit`'s"
    ))  # fmt: skip
    parser.addoption("--said", metavar="FILE", type=Path, help=(
        "append the keys of all sentences that reports say, for `python -m attn_kata.dev.said`"
    ))  # fmt: skip
    parser.addoption("--all", action="store_true", help="take no slice, whatever --slice says")


def _turn(text):
    """Read a turn, or take this commit's."""
    return _commits() if text == "commit" else int(text)


def _git(*asked):
    """Return the lines of a git command's answer, none where there is no checkout."""
    git = shutil.which("git")
    if git is None:
        return []
    done = subprocess.run([git, *asked], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.splitlines() if done.returncode == 0 else []


def _commits():
    """Count the commits, so that slices come one after another; a shallow clone has no count."""
    shallow = _git("rev-parse", "--is-shallow-repository") == ["true"]
    told = _git("rev-parse", "HEAD") if shallow else _git("rev-list", "--count", "HEAD")
    return int(told[0], 16 if shallow else 10) if told else 0


def pytest_report_header(config):
    """Say which slice is taken, and how to take it again."""
    taken = _taken(config)
    if taken is None:
        return None
    return f"slice: --slice={taken} of each enumeration; --all for all"


def _taken(config):
    return None if config.getoption("--all") else config.getoption("--slice")


def pytest_collection_modifyitems(config, items):
    """Leave out what is in no slice, the slow tests, and those for CUDA without a device."""
    taken = _taken(config)
    if taken is not None:
        left = _left_out(items, taken)
        config.hook.pytest_deselected(items=left)
        items[:] = [item for item in items if item not in left]
    if not config.getoption("--slow"):
        for item in items:
            if item.get_closest_marker("slow"):
                item.add_marker(pytest.mark.skip(reason="slow: run with --slow"))
    for_cuda = [item for item in items if item.get_closest_marker("cuda")]
    if for_cuda and not _has_cuda():
        for item in for_cuda:
            item.add_marker(pytest.mark.skip(reason="cuda: there is no device here"))


def _left_out(items, turn):
    """Say which rows are in no slice: those of other turns, but for what is new or changed.

    A slice is as large whatever is added; what is added makes more slices.
    """
    files = {
        ROOT / name
        for asked in (("diff", "--name-only", "HEAD~1"), ("ls-files", "-o", "--exclude-standard"))
        for name in _git(*asked)
    }
    changed = files.union(*(file.parents for file in files)) - {ROOT, *ROOT.parents}
    groups = defaultdict(list)
    left = {item for item in items if item.get_closest_marker("whole")}
    costly = (item for item in items if item.get_closest_marker("costly"))
    left |= {
        item for item in costly
        if (_hash(item.nodeid) - turn) % TURNS and item.path not in changed
    }  # fmt: skip
    for item in items:
        groups[item.path, item.originalname].append(item)
    for (_, name), rows in groups.items():
        size = _size(rows[0])
        if size is None and len(rows) > MOST:
            told = f"{name} has {len(rows)} rows: make it one test, or mark it as an enumeration"
            raise pytest.UsageError(told)
        left |= {*rows} - _kept(rows, size or MOST, turn, changed)
    return left


def _size(item):
    """How many rows a slice has of what a test enumerates, about."""
    for name, usual in SIZES.items():
        mark = item.get_closest_marker(name)
        if mark is not None:
            return mark.args[0] if mark.args else usual
    return None


def _kept(rows, size, turn, changed):
    """Take the rows of this turn, and as many again of those about what is new or changed."""
    if len(rows) <= size:
        return {*rows}
    among = -(-len(rows) // size)
    of_turn = [row for row in rows if (_hash(row.nodeid) - turn) % among == 0]
    about = [row for row in rows if _is_about(row, changed)]
    about.sort(key=lambda row: _hash(f"{turn} {row.nodeid}"))
    return {*(of_turn or [rows[turn % len(rows)]]), *about[:size]}


def _hash(text):
    return zlib.crc32(text.encode())


def _is_about(item, changed):
    """Whether a row is about a file that has changed, or about a kata that has one."""
    values = item.callspec.params.values()
    katas = [value for value in values if isinstance(value, Kata)]
    files = [getattr(value, "path", value) for value in values]
    about = [file for file in files if isinstance(file, Path)]
    about += [one for kata in katas for one in (kata.folder, kata.solution_path)]
    return not changed.isdisjoint(about)


@pytest.fixture(scope="session", autouse=True)
def _said(request):
    """Note which sentences reports say, where that is asked for."""
    file, begun, keys = request.config.getoption("--said"), Message.__init__, set()
    if file is None:
        yield
        return

    def noted(message, *args, **values):
        begun(message, *args, **values)
        keys.add(message.key)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Message, "__init__", noted)
        yield
    with file.open("a") as held:
        held.write("".join(f"{key}\n" for key in sorted(keys)))


def _has_cuda():
    import torch

    return torch.cuda.is_available()


@pytest.fixture(scope="session", autouse=True)
def _unwaited():
    """No test cuts the power: what is written to a database need not have reached the disk."""

    def prepare(connection, layout):
        connection.execute("PRAGMA synchronous = OFF")
        prepared(connection, layout)

    prepared = database._prepare
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(database, "_prepare", prepare)
        yield


@pytest.fixture(autouse=True)
def surroundings(monkeypatch, tmp_path_factory):
    """A screen of 80 columns without colour, in English, and a home that is nobody's."""
    home = tmp_path_factory.mktemp("home")
    for name in ("FORCE_COLOR", "PY_COLORS", "LC_ALL", "LC_MESSAGES", "LANGUAGE", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    for name in [name for name in os.environ if name.startswith(("ATTN_KATA_", "XDG_"))]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("ATTN_KATA_KEEP", "0")
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setenv("LANG", "en_US.UTF-8")
    monkeypatch.setenv("PYTHONUTF8", "1")
    return home


@pytest.fixture(scope="session")
def root():
    """The repository, which is the package."""
    return ROOT


@pytest.fixture(scope="session")
def staying():
    """What a command is told so that it shares a judge, which stays for this session.

    For tests of what commands say and do; how a judge starts and ends has tests of its own.
    """
    # A socket's name has to be short.
    with tempfile.TemporaryDirectory(prefix="kata-", dir="/tmp") as folder:
        told = {"XDG_RUNTIME_DIR": folder, "HOME": folder, "ATTN_KATA_KEEP": "5"}
        yield told
        with pytest.MonkeyPatch.context() as patch:
            for name, value in told.items():
                patch.setenv(name, value)
            lasting.stop()


@pytest.fixture
def shared_judge(surroundings, staying, monkeypatch):
    """This process, and what it starts, share that judge."""
    for name, value in staying.items():
        monkeypatch.setenv(name, value)
