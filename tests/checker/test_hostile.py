"""Whatever is handed in: the verdict its first line asks for, in time, and nothing left behind."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import tempfile
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from threading import Thread

import pytest
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.process import process_tree
from attn_kata.checker.report.ids import MISTAKE_IDS
from attn_kata.checker.report.message import say
from attn_kata.checker.report.report import Report
from attn_kata.sentences.wording import sentence, worded

BATTERY = Path(__file__).parent.parent / "corpus" / "hostile"
TOKEN = f"HOSTILE={uuid.uuid4().hex}"
TRACE = "attn-kata-was-here"

pytestmark = pytest.mark.hostile

HEADER = re.compile(
    r"# hostile: (?P<kata>\w+) (?P<verdict>pass|fail|error)"
    r"(?: (?P<named>(?!in |line |within )[\w-]+))?"
    r"(?: in (?P<phase>\w+))?(?: line (?P<line>\d+))? within (?P<bound>\d+) s"
    r"(?:, timeout (?P<timeout>[\d.]+))?(?:, memory (?P<memory>\d+))?\n"
)


@dataclass(frozen=True)
class Entry:
    """A file of the battery and what its first line says."""

    path: Path
    kata: str
    verdict: str
    named: str | None
    phase: str | None
    line: int | None
    bound: int
    options: Options


@dataclass(frozen=True)
class Outcome:
    """What the whole battery left: reports, and what was still there afterwards.

    seconds: of processor time for each, the judge's and the submission's.
    """

    reports: dict[Path, Report]
    seconds: dict[Path, float]
    processes: list[int]
    files: list[str]


@cache
def entries() -> list[Entry]:
    """Read the battery by its headers."""
    found: list[Entry] = []
    for path in sorted(BATTERY.iterdir()):
        match = HEADER.match(path.read_text("utf-8"))
        assert match is not None, f"{path.name}: give it a first line as its neighbours have"
        options = Options(
            seed=5,
            timeout=float(match["timeout"] or 20),
            memory=int(match["memory"] or 0) << 20,
        )
        line = int(match["line"]) if match["line"] else None
        found.append(
            Entry(
                path, match["kata"], match["verdict"], match["named"], match["phase"], line,
                int(match["bound"]), options,
            )
        )  # fmt: skip
    return found


def contents() -> dict[Path, bytes]:
    """Return what lies where a submission could write."""
    return {path: path.read_bytes() for path in sorted(BATTERY.iterdir())}


def left() -> list[int]:
    """List the processes that the battery's zygote started and that are still there."""
    found: list[int] = []
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            if TOKEN.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append(int(folder.name))
    return [pid for pid in found if pid != os.getpid()]


def judge(many: list[Entry], reports: dict[Path, Report], seconds: dict[Path, float]) -> None:
    """Judge files one after the other with one warm judge; say what each took."""
    with Bench() as bench:
        for entry in many:
            first = bench.started.pid
            before = process_tree.processor_below(first)
            made = bench.judge(entry.kata, [entry.path], entry.options)
            reports[entry.path] = worded(next(made), "en")
            last = bench.started.pid
            # What began anew has used nothing before.
            begun = before if last == first else 0.0
            seconds[entry.path] = process_tree.processor_below(last) - begun


def wanted(request: pytest.FixtureRequest) -> list[Entry]:
    """The files about which a test is to be run; all of them, where none asks about one."""
    items = (item for item in request.session.items if item.path == request.path)
    calls = (getattr(item, "callspec", None) for item in items)
    return [call.params["entry"] for call in calls if call is not None] or entries()


@pytest.fixture(scope="module")
def outcome(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Outcome]:
    """Judge the files, from a folder and with a home of their own."""
    places = [tmp_path_factory.mktemp(name) for name in ("here", "home", "temporary")]
    name, _, value = TOKEN.partition("=")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(places[0])
        patch.setenv("HOME", str(places[1]))
        patch.setenv("TMPDIR", str(places[2]))
        patch.setenv(name, value)
        patch.setattr(tempfile, "tempdir", None)
        before = contents()
        reports: dict[Path, Report] = {}
        seconds: dict[Path, float] = {}
        # Many of them wait for their limit, so that two are at it.
        halves = [
            Thread(target=judge, args=(wanted(request)[at::2], reports, seconds)) for at in (0, 1)
        ]
        for half in halves:
            half.start()
        for half in halves:
            half.join()
        after = contents()
        changed = [str(path) for path in before | after if before.get(path) != after.get(path)]
        roots = [Path("/"), Path("/tmp"), Path("/var/tmp"), Path("/dev/shm")]
        changed += [str(path) for place in places for path in place.iterdir()]
        changed += [str(root / TRACE) for root in roots if (root / TRACE).exists()]
        yield Outcome(reports, seconds, left(), changed)
    for pid in left():
        os.kill(pid, signal.SIGKILL)


@pytest.mark.enumeration
@pytest.mark.parametrize("entry", entries(), ids=lambda entry: entry.path.stem)
def test_verdict(entry: Entry, outcome: Outcome) -> None:
    """The verdict is the header's, with its kind or mistake, phase and line, and in time.

    Processor time, which is the same on a busy machine; that sleep ends is held elsewhere.
    """
    report = outcome.reports[entry.path]
    error = report.error
    told = error.message if error else [c.detail for c in report.checks if c.status == "fail"]
    assert report.verdict == entry.verdict, told
    if entry.named in MISTAKE_IDS:
        named = {found.mistake: found.line for found in report.diagnosis}
        assert entry.named in named
        assert entry.line in {None, named[entry.named]}
    elif entry.verdict == "error":
        assert error is not None
        assert entry.named in {None, error.kind}, error.message
        assert entry.line in {None, error.line}, error.message
    if entry.phase is not None:
        assert error is not None
        assert sentence(say(f"phase-{entry.phase}"), "en") in str(error.message)
    assert outcome.seconds[entry.path] <= entry.bound


def test_nothing_is_left(outcome: Outcome) -> None:
    """No process outlives its verdict, no file is written, changed or removed."""
    assert outcome.processes == []
    assert outcome.files == []


def test_the_battery_is_large() -> None:
    """Two hundred files and more, of every verdict."""
    assert len(entries()) >= 200
    assert {entry.verdict for entry in entries()} == {"pass", "fail", "error"}


def test_none_costs_the_judge_its_life(outcome: Outcome) -> None:
    """Whatever a file does, no report says that the judge itself failed."""
    told = [report.error.message for report in outcome.reports.values() if report.error]
    assert not [message for message in told if "the judge itself" in str(message)]
