"""Processor time of a warm check of each kata's model answer, the judge's and the submission's.

Judge and submission may be at work at once, and other programs beside them: what counts is the
time that they were given, as the system counts it. Each kata is judged in turn with `mha`, so
that the ratio holds on another machine, after checks of both that do not count.

    python bench/processor.py [K …] [--runs 5]
"""

from __future__ import annotations

import argparse
import contextlib
import os
import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from attn_kata.checker.client import Bench, Options
from attn_kata.checker.process.process_tree import children, descendants
from attn_kata.kata.catalogue import Kata, find, katas

_BESIDE = "mha"
_WARM = 2
# Until the next submission's process has settled in, which is a check's cost as well.
_SETTLED = 0.25


def main() -> None:
    """Judge, and print the table."""
    parser = argparse.ArgumentParser(description="Take the processor time of warm checks.")
    parser.add_argument("katas", nargs="*", default=[one.id for one in katas() if not one.kernels])
    parser.add_argument("--runs", type=int, default=5, help="checks of each kata (default: 5)")
    asked = parser.parse_args()
    # One that stays is nobody's child, and what it works is not seen.
    os.environ["ATTN_KATA_KEEP"] = "0"
    print(f"| kata | judge | submission | both | of `{_BESIDE}` |")
    print("|---|---|---|---|---|")
    for name in asked.katas:
        judge, submission, whole, ratio = row(find(name), max(1, asked.runs))
        print(f"| {name} | {judge:.2f} s | {submission:.2f} s | {whole:.2f} s | {ratio:.1f} × |")


def row(kata: Kata, runs: int) -> tuple[float, float, float, float]:
    """Return seconds of the judge, of the submission and of both, and both as a ratio."""
    with Bench() as bench:
        for _ in range(_WARM):
            check(bench, kata)
            check(bench, find(_BESIDE))
        pairs = [(check(bench, kata), check(bench, find(_BESIDE))) for _ in range(runs)]
    sides = [statistics.median(column) for column in zip(*(one for one, _ in pairs), strict=True)]
    ratio = statistics.median(sum(one) / sum(other) for one, other in pairs)
    return sides[0], sides[1], statistics.median(sum(one) for one, _ in pairs), ratio


def check(bench: Bench, kata: Kata) -> tuple[float, float]:
    """Judge a model answer, and return what the judge and everything else of it worked."""
    before, alone = _worked(bench)
    report = next(bench.judge(kata.id, [Path(kata.solution_path)], Options(seed=1)))
    if report.verdict != "pass":
        raise SystemExit(f"{kata.id}: {report.verdict}")
    time.sleep(_SETTLED)
    after, mine = _worked(bench)
    return mine - alone, after - before - (mine - alone)


def _worked(bench: Bench) -> tuple[float, float]:
    """Return the seconds that all have worked so far, and the judge, which forks first."""
    root = bench.started.pid
    return worked([root, *descendants(root)]), worked(children(root)[:1])


def worked(pids: Sequence[int]) -> float:
    """Return the seconds that processes worked, and those of theirs that have ended."""
    ticks = 0
    for pid in pids:
        with contextlib.suppress(OSError):
            fields = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    main()
