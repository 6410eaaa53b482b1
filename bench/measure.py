"""Times and memory of programs, as the benches take them."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent.parent
PROGRAM = str(Path(sys.executable).with_name("attn-kata"))
EMPTY = (sys.executable, "-c", "pass")
TORCH = (sys.executable, "-c", "import torch")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One row of the table: what was measured, the figure, what it is held against."""

    what: str
    figure: str
    against: str = ""
    aim: str = ""


def seconds(
    command: Sequence[str], *, expected: int = 0, folder: Path = ROOT, stays: bool = False
) -> float:
    """Run a command to its end, in a home of its own, and return how long it took.

    stays: whether a judge that stays may be found and left, in the home that there is.
    """
    with tempfile.TemporaryDirectory() as home:
        environment = {**os.environ, "ATTN_KATA_HOME": home, "NO_COLOR": "1", "COLUMNS": "80"}
        # Where nothing compiled is kept, modules are compiled anew at each start.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        environment |= {} if stays else {"HOME": home, "ATTN_KATA_KEEP": "0"}
        start = time.perf_counter()
        done = subprocess.run(
            command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True,
            check=False,
        )  # fmt: skip
        taken = time.perf_counter() - start
    if done.returncode != expected:
        name = " ".join(command[:4])
        raise SystemExit(f"{name} exited with {done.returncode}:\n{done.stderr.decode()}")
    return taken


def ratio(
    ours: Callable[[], float], floor: Callable[[], float], pairs: int
) -> tuple[float, float, float]:
    """Return the median ratio of two times, and the median of each.

    The two are taken in turns, after one of each that does not count, so that a busy machine
    slows both.
    """
    ours()
    floor()
    times = [(ours(), floor()) for _ in range(pairs)]
    ratios = [one / other for one, other in times]
    middle = [statistics.median(side) for side in zip(*times, strict=True)]
    return statistics.median(ratios), middle[0], middle[1]


def held_against(what: str, against: str, found: tuple[float, float, float], aim: str) -> Figure:
    """Make a row of a ratio."""
    middle, ours, floor = found
    return Figure(
        what=what,
        figure=f"{middle:.2f} × ({ours * 1000:.0f} ms)",
        against=f"{against} ({floor * 1000:.0f} ms)",
        aim=aim,
    )


def percentile(times: Sequence[float], share: float) -> float:
    """Return the time that this share of the times does not exceed."""
    ordered = sorted(times)
    return ordered[min(len(ordered) - 1, round(share * (len(ordered) - 1)))]


def memory(pid: int) -> tuple[float, float] | None:
    """Return a process's memory in MB: its share of all, and what is its own alone."""
    try:
        text = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8")
    except OSError:
        return None
    rows = {line.split(":")[0]: line.split()[1] for line in text.splitlines() if " kB" in line}
    own = int(rows["Private_Clean"]) + int(rows["Private_Dirty"])
    return int(rows["Pss"]) / 1024, own / 1024


def print_table(figures: Sequence[Figure]) -> None:
    """Print the rows as a table in Markdown, which is one on a screen too."""
    rows = [("what", "median", "against", "aim")]
    rows += [(one.what, one.figure, one.against, one.aim) for one in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    for place, row in enumerate(rows):
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=True)]
        print("| " + " | ".join(cells) + " |")
        if place == 0:
            print("|" + "|".join("-" * (width + 2) for width in widths) + "|")
