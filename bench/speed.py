"""All that is promised about speed, in one table.

A cold check is held against importing torch, `--help` against an empty Python, and both
sides of a ratio run in turns. What watch does on a save is timed from the save itself, with
the watcher, the warm judge and the history. With `torch-judge` installed (`pip install
torch-judge`; nothing else needs it) the peer's own checks run on the same file, in a fresh
process. Figures are printed, not asserted: a shared machine would make such a test lie.

    python bench/speed.py [--pairs 7] [--saves 40]
"""

from __future__ import annotations

import argparse
import importlib.util
import select
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path

from attn_kata.checker.client import Bench, Options
from attn_kata.kata.catalogue import find
from attn_kata.practice.record import Recorder
from attn_kata.practice.targets import Target
from attn_kata.practice.watch import Session
from attn_kata.practice.workspace import Workspace
from measure import (
    EMPTY,
    PROGRAM,
    ROOT,
    TORCH,
    Figure,
    held_against,
    memory,
    percentile,
    print_table,
    ratio,
    seconds,
)

RIGHT = ROOT / "examples" / "right_mha.py"
WRONG = ROOT / "examples" / "wrong_mha.py"
MANY = 100
# Seconds between a verdict and the next save.
_PAUSE = 0.5
PEER = "torch_judge"

# Files that both judges take, and what the peer calls the problem.
BOTH = {"mha": "mha", "causal": "causal_attention"}
PEER_CODE = """
import runpy, sys
import torch_judge
globals().update(runpy.run_path({file!r}))
torch_judge.check({task!r})
"""


def main() -> None:
    """Measure everything and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=7, help="runs of each side (default: 7)")
    parser.add_argument("--saves", type=int, default=40, help="saves on watch (default: 40)")
    asked = parser.parse_args()
    print_table(list(figures(max(1, asked.pairs), max(2, asked.saves))))


def figures(pairs: int, saves: int) -> Iterator[Figure]:
    """Measure row by row."""
    for arguments in (("--help",), ("list",)):
        found = ratio(
            lambda given=arguments: seconds((PROGRAM, *given)), lambda: seconds(EMPTY), pairs
        )
        aim = "≤ 12" if arguments == ("--help",) else ""
        yield held_against(f"attn-kata {arguments[0]}", "python -c pass", found, aim)
    for file, status, aim in ((RIGHT, 0, "≤ 1.15"), (WRONG, 1, "≤ 1.2")):
        command = (PROGRAM, "check", "mha", str(file), "--json")
        found = ratio(
            lambda given=command, wanted=status: seconds(given, expected=wanted),
            lambda: seconds(TORCH),
            pairs,
        )
        what = f"cold check, {file.stem.split('_')[0]} file, {cases(file)} cases"
        yield held_against(what, "import torch", found, aim)
    yield from second(pairs)
    yield from many()
    yield from watched(saves)
    yield from peer(pairs)


def second(pairs: int) -> Iterator[Figure]:
    """Time a check that finds the judge of the one before, which is ended in the end."""
    command = (PROGRAM, "check", "mha", str(RIGHT), "--json")
    found = ratio(lambda: seconds(command, stays=True), lambda: seconds(TORCH), pairs)
    seconds((PROGRAM, "stop"), stays=True)
    yield held_against("second check, right file", "import torch", found, "≤ 0.3")


def cases(file: Path, kata: str = "mha") -> int:
    """Return how many cases a check tries."""
    with Bench() as bench:
        report = bench.begin(kata, file, Options(seed=1)).report()
    return sum(check.cases for check in report.checks)


def many() -> Iterator[Figure]:
    """Time one call with a hundred files, as a grader makes it."""
    with tempfile.TemporaryDirectory() as place:
        files = [Path(place, f"{number:03}.py") for number in range(MANY)]
        for number, file in enumerate(files):
            file.write_text((RIGHT, WRONG)[number % 2].read_text("utf-8"), "utf-8")
        command = (PROGRAM, "check", "mha", *map(str, files), "--json")
        taken = seconds(command, expected=1)
    each = f"{taken / MANY * 1000:.0f} ms a file"
    yield Figure(what=f"one call with {MANY} files", figure=f"{taken:.1f} s", against=each)


def watched(saves: int) -> Iterator[Figure]:
    """Time watch from a save to its verdict, and look at the judge's memory after it."""
    rows = (
        (RIGHT, "pass", "", "≤ 100 ms"),
        (RIGHT, "pass, weights named anew", "query", ""),
        (WRONG, "fail", "", "≤ 300 ms"),
    )
    with tempfile.TemporaryDirectory() as place, Bench(2) as bench:
        for source, what, renamed, aim in rows:
            with session(Path(place), source, bench) as watching:
                times = [save(watching, source, n, renamed) for n in range(saves + 3)][3:]
            report = watching.report
            assert report is not None
            assert what.startswith(report.verdict)
            yield Figure(
                what=f"save to verdict on watch, {what}",
                figure=f"{statistics.median(times) * 1000:.0f} ms",
                against=f"95 %: {percentile(times, 0.95) * 1000:.0f} ms; "
                f"judging alone {report.elapsed_ms} ms",
                aim=aim,
            )
        yield from judges_memory(bench)


@contextmanager
def session(folder: Path, source: Path, bench: Bench) -> Generator[Session]:
    """Watch a copy of a file."""
    file = folder / source.name
    file.write_text(source.read_text("utf-8"), "utf-8")
    recorder = Recorder(Workspace(folder / "home"), "watch", keep=True)
    target = Target(find("mha"), file)
    watching = Session(target, bench, recorder, Options(), time=time.monotonic)
    watching.begin()
    until_verdict(watching)
    yield watching
    watching.close()


def save(watching: Session, source: Path, number: int, renamed: str) -> float:
    """Save the file once more; return the seconds until its verdict is on record.

    renamed: a word that is another one in each save, so that nothing of the one before fits.
    """
    text = source.read_text("utf-8")
    if renamed:
        text = text.replace(renamed, f"{renamed}_{number}")
    # Nobody saves again at once; meanwhile the next submission's process settles in.
    time.sleep(_PAUSE)
    start = time.perf_counter()
    watching.target.file.write_text(f"{text}\n# save {number}\n", "utf-8")
    until_verdict(watching)
    return time.perf_counter() - start


def until_verdict(watching: Session) -> None:
    """Do what the watch command does, without its screen."""
    while True:
        underway = [] if watching.underway is None else [watching.underway]
        ready, _, _ = select.select([watching.saves, *underway], [], [], 0.05)
        if watching.saves in ready:
            watching.saved()
        watching.tick()
        if watching.underway in ready and watching.arrived():
            return


def judges_memory(bench: Bench) -> Iterator[Figure]:
    """Say what a warm judge holds, and what forks it."""
    try:
        task = Path(f"/proc/{bench.started.pid}/task/{bench.started.pid}/children")
        children = [int(pid) for pid in task.read_text("utf-8").split()]
    except OSError:
        yield Figure(what="memory of the judge", figure="not known on this system")
        return
    for what, pid in (("the judge", children[0]), ("what forks it", bench.started.pid)):
        found = memory(pid)
        if found is not None:
            share, own = found
            yield Figure(
                what=f"memory of {what}", figure=f"{share:.0f} MB",
                against=f"{own:.0f} MB its own, the rest shared",
            )  # fmt: skip


def peer(pairs: int) -> Iterator[Figure]:
    """Time the peer's own checks in a fresh process, and ours of the same file."""
    there = importlib.util.find_spec(PEER) is not None
    for kata, task in BOTH.items():
        file = ROOT / "bench" / "both" / f"{kata}.py"
        command = (PROGRAM, "check", kata, str(file), "--json")
        found = ratio(lambda given=command: seconds(given), lambda: seconds(TORCH), pairs)
        what = f"attn-kata, {kata}, {cases(file, kata)} cases"
        yield held_against(what, "import torch", found, "")
        if there:
            yield peer_row(task, file, pairs)
    if not there:
        yield Figure(what="torch-judge (peer)", figure="not installed: pip install torch-judge")


def peer_row(task: str, file: Path, pairs: int) -> Figure:
    """Time the peer on one file."""
    with tempfile.TemporaryDirectory() as place:
        script = Path(place, "judge.py")
        script.write_text(PEER_CODE.format(file=str(file), task=task), "utf-8")
        command = (sys.executable, str(script))
        done = subprocess.run(command, cwd=place, capture_output=True, text=True, check=True)
        found = ratio(lambda: seconds(command, folder=Path(place)), lambda: seconds(TORCH), pairs)
    passed = done.stdout.count("\N{WHITE HEAVY CHECK MARK}")
    tried = passed + done.stdout.count("\N{CROSS MARK}") + done.stdout.count("\N{COLLISION SYMBOL}")
    what = f"torch-judge (peer), {task}, {tried} cases, {passed} passed"
    return held_against(what, "import torch", found, "")


if __name__ == "__main__":
    main()
