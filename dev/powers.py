"""What the judge does for every kata: each check and option, run or the reason why not.

`python -m attn_kata.dev.powers docs/judge.md` writes the table between the file's two marks; with
no file it prints it. It is found by judging: every model answer, and with one fault planted
at a time that only one power can see. A GPU is there where the CPU can stand in for one.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ..checker import CHECK_IDS, Bench, Options, Report
from ..kata.catalogue import Kata, katas
from ..sentences.wording import sentence
from .planted import PLANTS, Plant, planted
from .standin import standing

__all__ = ["COLUMNS", "RUN", "main", "powers", "table"]

RUN = "✓"
_OPTIONS = ("heat", "bench", "trace", "difference")
# What a fault shows beside the check that it is planted for.
_BEYOND = ("strided", "autocast", "train", "kept", "pretended GPU", "GPU")
COLUMNS = (*CHECK_IDS, *_BEYOND, *_OPTIONS)
_PROOF = {"gradients": "gradients", "stability": "stability", "half": "dtypes",
          "modified": "purity"}  # fmt: skip
_MARKS = ("<!-- powers -->\n", "<!-- end of powers -->\n")
_LENGTHS = (64,)
_SECONDS = 120.0


def powers(kata: Kata, bench: Bench, gpu: Bench) -> dict[str, str]:
    """Say of every power that it is run for a kata, or why not.

    bench, gpu: a judge without a GPU, and one with.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "answer.py"
        file.write_text(kata.solution(), "utf-8")
        options = Options(seed=1, device="cpu", diagnose=False, timeout=_SECONDS)
        whole = next(bench.judge(kata.id, [file], replace(options, heat=True)))
        timings = bench.timings(_LENGTHS)
        found = dict(_checks(whole))
        wrong: Report | None = None
        for name, plant in PLANTS.items():
            if plant.modes and kata.kind == "function":
                found[name] = "a function has no modes"
                continue
            file.write_text(planted(kata, plant), "utf-8")
            on_gpu = name == "GPU"
            how = replace(options, device="auto" if on_gpu else "cpu")
            report = next((gpu if on_gpu else bench).judge(kata.id, [file], how))
            if report.error is not None:
                raise RuntimeError(f"{kata.id}, {name}: {sentence(report.error.message, 'en')}")
            wrong = report if report.difference is not None else wrong
            column = _PROOF.get(name, name)
            if found.get(column, RUN) == RUN:
                found[column] = _seen(plant, report)
    found["heat"] = RUN if whole.heat is not None else "not shown for this kata"
    found["bench"] = RUN if timings.rows else "not timed for this kata"
    found["trace"] = RUN if whole.trace else "no step is seen"
    shown = wrong is not None and wrong.difference is not None and wrong.difference.expected
    found["difference"] = RUN if shown else "its results are not shown as a table"
    return {name: found[name] for name in COLUMNS}


def _checks(report: Report) -> Iterator[tuple[str, str]]:
    """Yield each check of a model answer that passes, run or why not."""
    for check in report.checks:
        yield (
            check.id,
            RUN if check.status == "pass" else sentence(check.detail, "en") or check.status,
        )


def _seen(plant: Plant, report: Report) -> str:
    """Whether a planted fault is found by the check that it is planted for, or why not."""
    failed = {check.id for check in report.checks if check.status == "fail"}
    if failed & set(plant.checks):
        return RUN
    skipped = [
        sentence(c.detail, "en")
        for c in report.checks
        if c.id in plant.checks and c.status == "skip"
    ]
    return next(iter(skipped), "not seen")


def table(some: Sequence[Kata] = ()) -> str:
    """All katas in torch, or some, with all powers, in Markdown; a letter stands for a reason."""
    rows: list[list[str]] = []
    letters: dict[str, str] = {}
    with Bench() as bench, standing() as gpu:
        for kata in some or [one for one in katas() if not one.kernels]:
            found = powers(kata, bench, gpu)
            for reason in found.values():
                if reason != RUN:
                    letters.setdefault(reason, "abcdefghijklmnopqrstuvwxyz"[len(letters)])
            rows.append([kata.id, *(letters.get(found[name], RUN) for name in COLUMNS)])
    lines = [f"| {' | '.join(row)} |" for row in (["kata", *COLUMNS], *rows)]
    lines.insert(1, "|---" * (len(COLUMNS) + 1) + "|")
    reasons = [f"- {letter}: {reason}" for reason, letter in letters.items()]
    return "\n".join([*lines, "", *reasons, ""])


def main(arguments: Sequence[str]) -> int:
    """Print the table, or write it into the files named."""
    made = table()
    for name in arguments:
        path = Path(name)
        before, _, rest = path.read_text("utf-8").partition(_MARKS[0])
        after = rest.partition(_MARKS[1])[2]
        path.write_text(f"{before}{_MARKS[0]}{made}{_MARKS[1]}{after}", "utf-8")
    if not arguments:
        sys.stdout.write(made)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
