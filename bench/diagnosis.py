"""What naming a mistake adds to a failing check, on a warm judge.

Every wrong file of the corpus that runs is judged with its mistakes named and without,
one after the other, so that both see the same machine. Prints medians and the 95th
percentile for files with one mistake and with two.

    python bench/diagnosis.py [--wrong DIR] [--every N]
"""

from __future__ import annotations

import argparse
import re
import statistics
from pathlib import Path

from attn_kata.checker.client import Bench, Options

CORPUS = Path(__file__).parent.parent / "tests" / "corpus" / "wrong"
NAMED = re.compile(r"[a-z][a-z-]+ line \d+")


def main() -> None:
    """Judge, and print the table."""
    parser = argparse.ArgumentParser(description="Time what diagnosis adds to a check.")
    parser.add_argument("--wrong", type=Path, default=CORPUS)
    parser.add_argument("--every", type=int, default=3, help="take every so many files")
    options = parser.parse_args()
    added: dict[str, list[int]] = {"one mistake": [], "two mistakes": []}
    with Bench() as bench:
        for path in sorted(options.wrong.glob("*.py"))[:: options.every]:
            header = path.read_text("utf-8").split("\n", 1)[0]
            kata, count = header.split()[2], len(NAMED.findall(header))
            pair = [
                next(bench.judge(kata, [path], Options(seed=1, timeout=60, diagnose=diagnose)))
                for diagnose in (False, True)
            ]
            if pair[1].verdict == "fail" and count in {1, 2}:
                kind = "one mistake" if count == 1 else "two mistakes"
                added[kind].append(pair[1].elapsed_ms - pair[0].elapsed_ms)
    for kind, found in added.items():
        last = statistics.quantiles(found, n=20)[-1]
        print(
            f"{kind:<13} median {statistics.median(found):5.0f} ms   "
            f"95 % {last:5.0f} ms   most {max(found):5.0f} ms   ({len(found)} files)"
        )


if __name__ == "__main__":
    main()
