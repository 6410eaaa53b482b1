"""How long the commands take, as ratios to what cannot be avoided.

`--help`, `list` and `show` are held against an empty Python, and a cold check against
importing torch. The two sides of a ratio run one after the other, pair by pair, so that
a busy machine slows both; the figures printed are the median ratio, the smallest and the
largest. They are printed, not asserted: a shared machine would make such a test lie.

    python bench/startup.py [--pairs 7]
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROGRAM = str(Path(sys.executable).with_name("attn-kata"))

EMPTY = (sys.executable, "-c", "pass")
TORCH = (sys.executable, "-c", "import torch")


@dataclass(frozen=True, slots=True)
class Row:
    """One command, and what it is held against."""

    arguments: tuple[str, ...]
    floor: tuple[str, ...]

    @property
    def name(self) -> str:
        """The command as it is typed."""
        return " ".join(["attn-kata", *self.arguments])

    @property
    def against(self) -> str:
        """The other side, as it is typed."""
        return f"python -c '{self.floor[-1]}'"


ROWS = (
    Row(("--help",), EMPTY),
    Row(("list",), EMPTY),
    Row(("show", "mha"), EMPTY),
    Row(("check", "mha", "examples/right_mha.py", "--json"), TORCH),
)


def seconds(command: tuple[str, ...], home: str) -> float:
    """Run a command to its end and return how long it took."""
    environment = {**os.environ, "HOME": home, "NO_COLOR": "1", "COLUMNS": "80"}
    start = time.perf_counter()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    taken = time.perf_counter() - start
    if done.returncode:
        raise SystemExit(
            f"{' '.join(command)} exited with {done.returncode}:\n{done.stderr.decode()}"
        )
    return taken


def measure(row: Row, pairs: int, home: str) -> tuple[list[float], list[float]]:
    """Return the times of a command and of its floor, taken in turns after one run of each."""
    command = (PROGRAM, *row.arguments)
    seconds(command, home)
    seconds(row.floor, home)
    times = [(seconds(command, home), seconds(row.floor, home)) for _ in range(pairs)]
    return [ours for ours, _ in times], [floor for _, floor in times]


def main() -> None:
    """Measure every row and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--pairs", type=int, default=7, help="runs of each side (default: 7)")
    pairs = max(1, parser.parse_args().pairs)
    print(f"{'command':<52}{'against':<26}{'ratio':>6}{'min':>6}{'max':>6}{'ms':>7}{'floor':>7}")
    with tempfile.TemporaryDirectory() as home:
        for row in ROWS:
            ours, floors = measure(row, pairs, home)
            ratios = [our / floor for our, floor in zip(ours, floors, strict=True)]
            figures = (statistics.median(ratios), min(ratios), max(ratios))
            middle = (statistics.median(ours) * 1000, statistics.median(floors) * 1000)
            print(
                f"{row.name:<52}{row.against:<26}"
                + "".join(f"{figure:>6.2f}" for figure in figures)
                + "".join(f"{figure:>7.0f}" for figure in middle),
                flush=True,
            )


if __name__ == "__main__":
    main()
