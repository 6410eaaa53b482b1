"""How often the judge is wrong on files of people who saw the briefs and the stubs alone.

`tests/corpus/unseen` holds them as they came, and `INDEX.tsv` what their authors say of each: its
name, right or wrong, the lines that a reviewer would point at, and the mistake in a sentence.
Nothing is tuned on them and no test reads them; whoever mends what they show moves the file into
`right` or `wrong`, with its header. Prints every file that is judged otherwise than its author has
it, and how many there are of each kind.

    python bench/unseen.py [PART …] [--seed 1]        only files with PART in their names
"""

from __future__ import annotations

import argparse
import csv
import os
import sys
from collections import Counter
from itertools import groupby
from pathlib import Path

from attn_kata.checker.client import Bench, Options
from attn_kata.checker.report.report import Report

FOLDER = Path(__file__).parent.parent / "tests" / "corpus" / "unseen"


def main() -> None:
    """Judge the files, and print what differs and the counts."""
    parser = argparse.ArgumentParser(description="Judge the files of strangers.")
    parser.add_argument("parts", nargs="*", metavar="PART", help="of the names of files")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    # One that stays is nobody's child, and would judge the next commit.
    os.environ["ATTN_KATA_KEEP"] = "0"
    with (FOLDER / "INDEX.tsv").open(encoding="utf-8", newline="") as held:
        rows = list(csv.reader(held, delimiter="\t", quoting=csv.QUOTE_NONE))
    chosen = [row for row in rows if not asked.parts or any(part in row[0] for part in asked.parts)]
    counts: Counter[str] = Counter()
    with Bench(2) as bench:
        for kata, same in groupby(chosen, key=lambda row: row[0].rpartition("_")[0]):
            run = list(same)
            reports = bench.judge(kata, [FOLDER / row[0] for row in run], Options(seed=asked.seed))
            for (file, side, lines, words), report in zip(run, reports, strict=True):
                found = verdict(report, side, {int(n) for n in lines.split(",") if n.isdigit()})
                counts[f"{side}: {found}"] += 1
                if found not in {"accepted", "named, on the line"}:
                    sys.stdout.write(f"{found}: {file}:{lines}  {told(report)}\n    {words}\n")
    for what, count in sorted(counts.items()):
        sys.stdout.write(f"{count:4} {what}\n")


def verdict(report: Report, side: str, lines: set[int]) -> str:
    """Say in words how far a report agrees with an author."""
    if report.verdict == "pass":
        return "accepted" if side == "right" else "WRONGLY ACCEPTED"
    if side == "right":
        return "WRONGLY REJECTED"
    if not report.diagnosis:
        return "without a name"
    return "named, on the line" if lines & {one.line for one in report.diagnosis} else "elsewhere"


def told(report: Report) -> str:
    """The mistakes that a report names, with their lines; the error where there is one."""
    named = ", ".join(f"{one.mistake}:{one.line}" for one in report.diagnosis)
    return named or (report.error.kind if report.error is not None else "")


if __name__ == "__main__":
    main()
