"""What isolation costs: a check as it is made, against the same judging in one process.

The other side runs the submission inside the judge's own process: no fork, no limits, no
fences, no messages; both are warm, with torch imported. They are measured pair by pair, so
that a busy machine slows both; the median ratio, the smallest and the largest are printed.
A ratio below 1 is possible: two processes work at the same time, where there are two cores.

    python bench/isolation.py [--pairs 15]
"""

from __future__ import annotations

import argparse
import statistics
import time
from pathlib import Path
from typing import Any, TypeVar, cast

from attn_kata.checker.candidate.guard import Guard
from attn_kata.checker.candidate.worker import _Worker  # pyright: ignore[reportPrivateUsage]
from attn_kata.checker.client import Bench, Options
from attn_kata.checker.judge import main as judge
from attn_kata.checker.process import claims, wire
from attn_kata.checker.process.jobs import Job
from attn_kata.checker.process.requests import Request, request_of

_Answer = TypeVar("_Answer")

ROOT = Path(__file__).parent.parent
FILES = (("mha", "examples/right_mha.py"), ("mha", "examples/wrong_mha.py"))
SEED = 7


class Unguarded:
    """Stands where the guard stands, and guards nothing."""

    path = ""

    def arm(self) -> None:
        """Leave torch's attention where it is."""


class Inside:
    """A candidate that is no process: the submission runs where the judge runs."""

    def __init__(self) -> None:
        self.path = ""
        self.worker = _Worker(cast("Guard", Unguarded()))

    def serve(self, path: str) -> None:
        """Be for this file."""
        self.path = path

    def ask(self, request: Request[_Answer]) -> _Answer:
        """Answer at once."""
        asked = request_of(wire.unpack(*wire.pack(request)))
        return claims.understood(request, wire.unpack(*wire.pack(self.worker.answer(asked))))

    def close(self) -> str:
        """End nothing; nothing was captured."""
        return ""


def alone(kata: str, file: Path) -> float:
    """Judge a file in this process and return the seconds."""
    options = Options(seed=SEED, timeout=60.0, device="cpu")
    job = Job(kata=kata, file=str(file), options=options)
    start = time.perf_counter()
    report = judge._Sitting(job, cast("Any", Inside())).report()  # noqa: SLF001 # pyright: ignore[reportPrivateUsage] - the judge's own way
    taken = time.perf_counter() - start
    assert report.error is None, report.error
    return taken


def apart(bench: Bench, kata: str, file: Path) -> float:
    """Judge a file as a command does, with a warm judge, and return the seconds."""
    start = time.perf_counter()
    report = next(bench.judge(kata, [file], Options(seed=SEED)))
    taken = time.perf_counter() - start
    assert report.error is None, report.error
    return taken


def main() -> None:
    """Measure both ways and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=15, help="runs of each side (default: 15)")
    pairs = max(1, parser.parse_args().pairs)
    print(f"{'file':<28}{'ratio':>7}{'min':>6}{'max':>6}{'isolated':>11}{'one process':>13}")
    with Bench() as bench:
        for kata, name in FILES:
            file = ROOT / name
            apart(bench, kata, file)
            alone(kata, file)
            times = [(apart(bench, kata, file), alone(kata, file)) for _ in range(pairs)]
            ratios = [ours / floor for ours, floor in times]
            sides = [statistics.median(side) * 1000 for side in zip(*times, strict=True)]
            print(
                f"{name:<28}{statistics.median(ratios):>7.2f}{min(ratios):>6.2f}{max(ratios):>6.2f}"
                f"{sides[0]:>8.0f} ms{sides[1]:>10.0f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
