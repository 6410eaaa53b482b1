"""How long a submission may take: its own time alone counts, and what is said of it is true."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.judge import budget
from attn_kata.checker.process import launch, process_tree, wire
from attn_kata.checker.process.limits import Limits
from attn_kata.checker.process.meter import Meter
from attn_kata.checker.report.message import say
from attn_kata.checker.report.report import Report
from attn_kata.kata.catalogue import find
from attn_kata.sentences.wording import sentence, worded

Judge = Callable[..., Report]

CORPUS = Path(__file__).parent.parent / "corpus"
SECONDS = 0.5
# What a whole wrong submission may take until its verdict, several times over on a busy machine.
VERDICT = 2.0
HEAD = """\
import os, signal, threading, time

def burn(seconds=1e9):
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass

def child(seconds=1e9):
    if os.fork() == 0:
        burn(seconds)
        os._exit(0)

"""
# What takes the time, and the limit that it meets.
WAYS = {
    "loop": ("while True: pass", "processor"),
    "children-one-by-one": (
        "while True: os.wait() if os.fork() else (burn(0.05), os._exit(0))",
        "processor",
    ),
    "child": ("child(), os.wait()", "processor"),
    "orphan": ("(child(), os._exit(0)) if os.fork() == 0 else time.sleep(1e6)", "processor"),
    "threads": ("t = threading.Thread(target=burn); t.start(); t.join()", "processor"),
    "flood": ("while True: print('all work and no play')", "processor"),
    "sleep": ("time.sleep(1e6)", "idle"),
    "naps": ("while True: time.sleep(0.01)", "idle"),
    "lock": ("lock = threading.Lock(); lock.acquire(); lock.acquire()", "idle"),
    "stopped": ("os.kill(os.getpid(), signal.SIGSTOP)", "idle"),
    "child-asleep": ("(time.sleep(1e6) if os.fork() == 0 else os.wait())", "idle"),
}
PHASES = {"import": 'code = "v1"', "construct": "super().__init__()", "forward": "query ="}


def slow(way: str, phase: str = "forward") -> tuple[str, int]:
    """Return the model answer of v1 with a line that takes long, and that line's number."""
    code = find("v1").solution().replace("from __future__ import annotations\n", "")
    rows = (HEAD + 'code = "v1"\n' + code).splitlines()
    at = next(at for at, row in enumerate(rows) if row.strip().startswith(PHASES[phase]))
    indent = rows[at][: len(rows[at]) - len(rows[at].lstrip())]
    rows.insert(at + 1, indent + WAYS[way][0])
    return "\n".join(rows) + "\n", at + 2


def started_with(monkeypatch: pytest.MonkeyPatch, *lines: str) -> None:
    """Have the next judge's first process run these lines before it begins."""
    code = launch.START.replace("main(int", "\n".join([*lines, "main(int"]))
    monkeypatch.setattr(launch, "START", code)


def judge(folder: Path, kata: str, source: str, bench: Bench, **options: object) -> Report:
    """Judge a source text."""
    path = folder / "mine.py"
    path.write_text(source, encoding="utf-8")
    return worded(next(bench.judge(kata, [path], Options(seed=1, **options))), "en")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("way", "phase"),
    [*((way, "forward") for way in WAYS), ("loop", "import"), ("sleep", "import"),
     ("loop", "construct"), ("lock", "construct")],
)  # fmt: skip
def test_an_end_and_why(judged: Judge, way: str, phase: str) -> None:
    """What computes too long used up its processor time, what sleeps or waits did that; where."""
    source, line = slow(way, phase)
    report = judged("v1", source, timeout=SECONDS)
    assert report.error is not None
    assert report.error.kind == "timeout"
    place = say("at-line", phase=say(f"phase-{phase}"), line=line)
    expected = sentence(say(f"ended-{WAYS[way][1]}", seconds=SECONDS, phase=place), "en")
    assert report.error.message == expected


@pytest.mark.costly
def test_what_the_judge_takes_is_not_the_submissions(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """However long the judge works meanwhile, the file has not used its time."""
    started_with(
        monkeypatch,
        "import time",
        "from attn_kata.checker.judge import page",
        "drawn = page.Page.outputs",
        "def slow(self, found):",
        "    end = time.thread_time() + 1",
        "    while time.thread_time() < end: pass",
        "    return drawn(self, found)",
        "page.Page.outputs = slow",
    )
    with Bench() as bench:
        report = judge(tmp_path, "v1", find("v1").solution(), bench, timeout=SECONDS)
    assert report.verdict == "pass", report.error
    assert report.elapsed_ms > 1000


def test_a_system_that_tells_nothing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where nobody knows who sleeps, the clock ends the waiting, later, and says so.

    Nor who is there: the judges end all the same, and this process goes on.
    """
    started_with(
        monkeypatch,
        "from attn_kata.checker.process import process_tree",
        "process_tree.TELLS = False",
        "process_tree.processor_below, process_tree.asleep = lambda pid: 0.0, lambda pid: False",
    )
    source, line = slow("sleep")
    with Bench() as bench:
        report = judge(tmp_path, "v1", source, bench, timeout=0.5)
    assert report.error is not None
    place = say("at-line", phase=say("phase-forward"), line=line)
    assert report.error.message == sentence(say("ended-timeout", seconds=1.5, phase=place), "en")


@pytest.mark.costly
@pytest.mark.parametrize("kata", ["gqa", "sdpa"])
def test_what_runs_out_while_it_is_named(bench: Bench, tmp_path: Path, kata: str) -> None:
    """Code that hangs only once its verdict is known has that verdict, and no name."""
    wrong = wrongly(kata)
    options = {"timeout": VERDICT, "diagnose": False}
    plain = judge(tmp_path, kata, counted(wrong, 10**9), bench, **options)
    assert plain.verdict == "fail"
    calls = plain.printed.count("called")
    report = judge(tmp_path, kata, counted(wrong, calls), bench, timeout=VERDICT)
    assert (report.verdict, report.error, report.diagnosis) == ("fail", None, [])
    assert [check.status for check in report.checks] == [check.status for check in plain.checks]


def wrongly(kata: str) -> str:
    """Return a model answer that does not scale, or does so wrongly."""
    source = find(kata).solution()
    for right in ("/ math.sqrt(self.head_dim)", "/ math.sqrt(head_dim)"):
        source = source.replace(right, "/ (1.5 + 1.5)")
    assert source != find(kata).solution()
    return source


def counted(source: str, most: int) -> str:
    """Have the code say that it computes scores, and hang once it has done so often enough."""
    return source.replace("/ (1.5 + 1.5)", "/ step()") + (
        f"\n\nseen = []\n\n\ndef step():\n    print('called', flush=True)\n    seen.append(1)\n"
        f"    while len(seen) > {most}:\n        pass\n    return 1.5 + 1.5\n"
    )


@pytest.mark.costly
def test_searches_without_time(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Where the judge's own search runs out of time, the verdict stands without a name.

    Where it is the search for a layout of weights, doubt is owned up to.
    """
    rooms = ("judge.main", "judge.functions", "judge.weighing")
    started_with(
        monkeypatch,
        *(f"import attn_kata.checker.{room} as one; one._NAMING = 0.0" for room in rooms),
        "import attn_kata.checker.judge.aligning as one",
        "one._READING = one._GUESSING = one._BY_NAME = 0.0",
    )
    by_index = (CORPUS / "right" / "gqa_rows_by_index.py").read_text("utf-8")
    by_index = by_index.replace("/ math.sqrt(self.hd)", "/ 3")
    with Bench() as bench:
        named = [judge(tmp_path, kata, wrongly(kata), bench) for kata in ("mha", "sdpa")]
        unread = judge(tmp_path, "gqa", by_index, bench)
    for report in (*named, unread):
        assert (report.verdict, report.error, report.diagnosis) == ("fail", None, [])
    detail = next(c.detail for c in unread.checks if c.id == "values")
    assert sentence(say("direct-unread"), "en") in str(detail)


def test_a_budget_is_processor_time() -> None:
    """A search may be slept through; what it computes counts, in the search and those inside it."""
    end = time.thread_time() + 0.03
    with budget.limited(0.02):
        time.sleep(0.05)
        budget.spend()
        while time.thread_time() < end:
            pass
        with budget.limited(5), pytest.raises(budget.Spent):
            budget.spend()
    budget.spend()


@pytest.mark.parametrize(("code", "idle"), [("while True: pass", False), ("input()", True)])
def test_who_is_in_line_is_not_asleep(code: str, idle: bool) -> None:
    """A process that would compute, were there a processor for it, does not sleep."""
    begun = "import os\nos.fork() or print('.', flush=True)\n"
    with subprocess.Popen(
        [sys.executable, "-c", begun + code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.read(1)
        meter = Meter(Limits(seconds=1, memory=0), child.pid)
        # It takes a while to come to its `input`.
        looks = 0
        while meter.idle == 0 and looks < (3000 if idle else 5):
            meter.note(0.01, in_vain=True)
            time.sleep(0.01)
            looks += 1
        for below in process_tree.descendants(child.pid):
            os.kill(below, 9)
        child.kill()
    assert meter.waited == pytest.approx(0.01 * looks)
    assert (meter.idle > 0) == idle


def test_the_clock_is_far() -> None:
    """What is given no processor is waited for much longer than its limit, and then no more."""
    meter = Meter(Limits(seconds=1, memory=0), None)
    meter.note(meter.far - 0.1, in_vain=True)
    assert meter.left() > 0
    meter.note(0.2, in_vain=True)
    with pytest.raises(wire.TooLate):
        meter.left()
    assert meter.exceeded == ""
