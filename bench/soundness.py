"""How often the judge is wrong on the corpora, beside what a peer says of the same files.

Prints, for `tests/corpus/right` and `tests/corpus/wrong` (or folders given in their
place), how many right files were rejected and wrong ones accepted, how many mistakes
and lines were named as the files' headers have them, and the time a file, kata by kata
as they are judged and over all; of `tests/corpus/hostile`, how many files ended as their
headers have it. With
`torch-judge` installed (`pip install torch-judge`; nothing else here needs it) the
peer's own tests run on the multi-head and cross-attention files, the problems that
both pose as a class, each file in a process of its own.

    python bench/soundness.py [--right DIR] [--wrong DIR] [--hostile DIR] [--no-peer]
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import re
import sys
import time
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attn_kata.checker.client import Bench, Options
from attn_kata.checker.report.report import Report

CORPUS = Path(__file__).parent.parent / "tests" / "corpus"
PEER_TASKS = {"mha": "mha", "cross": "cross_attention"}
PEER_SECONDS = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """A corpus file and what its first lines say of it: each mistake with its fair lines."""

    path: Path
    right: bool
    kata: str
    mistakes: tuple[tuple[str, frozenset[int]], ...]


def read_entries(folder: Path) -> list[Entry]:
    """Read a folder's files by their headers, `# right: mha` or `# wrong: mha ID line 7`.

    A second line, `# fair: ID 7 9`, lists the lines that are as fair to point at.
    """
    found = []
    for path in sorted(folder.iterdir()):
        if path.suffix not in {".py", ".ipynb"}:
            continue
        header, second = first_lines(path)
        match = re.match(r"#\s*(right|wrong):\s*([\w-]+)(.*)", header)
        if match is None:
            raise SystemExit(f"{path}: the first line is no header: {header!r}")
        mistakes = re.findall(r"([a-z][a-z-]+) line (\d+)", match[3])
        found.append(
            Entry(
                path=path,
                right=match[1] == "right",
                kata=match[2],
                mistakes=tuple(
                    (name, frozenset({int(line), *fair_lines(name, second)}))
                    for name, line in mistakes
                ),
            )
        )
    return found


def first_lines(path: Path) -> tuple[str, str]:
    """Return a file's first two lines of code."""
    text = path.read_text("utf-8")
    if path.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
        text = "".join(cells[0]["source"])
    first, second, *_ = [*text.split("\n", 2), "", ""]
    return first, second


def fair_lines(mistake: str, header: str) -> set[int]:
    """The lines that a second header names for a mistake."""
    found = re.search(rf"{mistake}:?((?:[ ,]+\d+)+)", header) if "fair:" in header else None
    return {int(line) for line in re.findall(r"\d+", found[1])} if found else set()


def judge(entries: list[Entry]) -> dict[Path, Report]:
    """Judge every file with warm judges, one call a kata, and print how each kata went."""
    by_kata: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        by_kata[entry.kata].append(entry)
    reports: dict[Path, Report] = {}
    print(f"{'kata':<14} {'right':>9} {'wrong':>9} {'named':>9} {'lines':>9} {'s a file':>9}")
    with Bench(0) as bench:
        for kata, some in by_kata.items():
            start = time.perf_counter()
            made = bench.judge(kata, [one.path for one in some], Options(seed=1))
            reports.update(zip((one.path for one in some), made, strict=True))
            seconds = (time.perf_counter() - start) / len(some)
            shares = " ".join(f"{share:>9}" for share in kata_shares(some, reports))
            print(f"{kata:<14} {shares} {seconds:>9.2f}", flush=True)
    return reports


def kata_shares(entries: list[Entry], reports: dict[Path, Report]) -> list[str]:
    """Of a kata's files: right ones accepted, wrong ones rejected, mistakes named, their lines."""
    right = [reports[e.path].verdict == "pass" for e in entries if e.right]
    wrong = [e for e in entries if not e.right]
    rejected = [reports[e.path].verdict != "pass" for e in wrong]
    asked = [(reports[e.path], name, lines) for e in wrong for name, lines in e.mistakes]
    named = [any(d.mistake == name for d in r.diagnosis) for r, name, _ in asked]
    lined = [at_its_line(*one) for one in asked]
    return [f"{sum(one)}/{len(one)}" for one in (right, rejected, named, lined)]


def at_its_line(report: Report, name: str, lines: frozenset[int]) -> bool:
    """Whether a mistake is named at a line that is fair."""
    return any(one.mistake == name and one.line in lines for one in report.diagnosis)


def hostile_row(folder: Path) -> tuple[str, str]:
    """How many files that mean harm end as their first line, `# hostile: mha fail`, has it."""
    met = []
    with Bench(0) as bench:
        for path in sorted(folder.glob("*.py")):
            header = path.read_text("utf-8").partition("\n")[0]
            match = re.match(r"# hostile: ([\w-]+) (pass|fail|error)", header)
            if match is not None:
                limits = dict(re.findall(r", (timeout|memory) ([\d.]+)", header))
                options = Options(
                    seed=1, timeout=float(limits.get("timeout", 20)),
                    memory=int(limits.get("memory", 0)) << 20,
                )  # fmt: skip
                report = next(bench.judge(match[1], [path], options))
                met.append(report.verdict == match[2])
    return "hostile files that end as they should", percent(sum(met), len(met))


def peer_passes(task: dict[str, Any], path: Path, class_name: str) -> bool:
    """Whether the peer's tests all pass on a class, in a fork that cannot harm this process."""
    pid = os.fork()
    if pid == 0:
        silence = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silence, 1)
        os.dup2(silence, 2)
        os._exit(0 if _peer_verdict(task, path, class_name) else 1)
    end = time.monotonic() + PEER_SECONDS
    while time.monotonic() < end:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status == 0
        time.sleep(0.005)
    os.kill(pid, 9)
    os.waitpid(pid, 0)
    return False


def _peer_verdict(task: dict[str, Any], path: Path, class_name: str) -> bool:
    name = task["function_name"]
    namespace: dict[str, Any] = {"__name__": "submission"}
    sys.modules["submission"] = type(sys)("submission")
    try:
        exec(compile(path.read_text("utf-8"), str(path), "exec"), namespace)  # noqa: S102 - the corpus
        for test in task["tests"]:
            exec(test["code"].replace("{fn}", name), {name: namespace[class_name]})  # noqa: S102 - the peer's way
    except BaseException:  # noqa: BLE001 - whatever it raised, it did not pass
        return False
    return True


def percent(part: int, whole: int) -> str:
    """A share as people read it."""
    return f"{part} of {whole} ({100 * part / whole:.1f} %)" if whole else "none"


def main() -> None:
    """Judge both corpora and print the table."""
    parser = argparse.ArgumentParser(description="Judge the corpora and count wrong verdicts.")
    parser.add_argument("--right", type=Path, default=CORPUS / "right")
    parser.add_argument("--wrong", type=Path, default=CORPUS / "wrong")
    parser.add_argument("--hostile", type=Path, default=CORPUS / "hostile")
    parser.add_argument("--no-peer", action="store_true")
    options = parser.parse_args()
    entries = [*read_entries(options.right), *read_entries(options.wrong)]
    start = time.perf_counter()
    reports = judge(entries)
    seconds = time.perf_counter() - start
    right = [e for e in entries if e.right]
    wrong = [e for e in entries if not e.right]
    rejected = [e for e in right if reports[e.path].verdict != "pass"]
    accepted = [e for e in wrong if reports[e.path].verdict == "pass"]
    rows = [
        ("right files rejected", percent(len(rejected), len(right))),
        ("wrong files accepted", percent(len(accepted), len(wrong))),
        *naming_rows(wrong, reports),
        ("seconds a file", f"{seconds / max(1, len(entries)):.2f} ({len(entries)} files)"),
    ]
    if options.hostile.is_dir():
        rows.append(hostile_row(options.hostile))
    if not options.no_peer:
        rows += peer_rows(entries, reports)
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")
    for entry in (*rejected, *accepted):
        print(f"  {reports[entry.path].verdict:<5} {entry.path}")


def naming_rows(wrong: list[Entry], reports: dict[Path, Report]) -> list[tuple[str, str]]:
    """How many single mistakes were named first, and lines found; how many doubles both."""
    single = [e for e in wrong if len(e.mistakes) == 1]
    double = [e for e in wrong if len(e.mistakes) == 2]
    named = lined = both = both_lines = 0
    for entry in single:
        found = reports[entry.path].diagnosis
        name, lines = entry.mistakes[0]
        named += bool(found) and found[0].mistake == name
        lined += at_its_line(reports[entry.path], name, lines)
    for entry in double:
        found_ids = {one.mistake for one in reports[entry.path].diagnosis}
        both += {name for name, _ in entry.mistakes} <= found_ids
        both_lines += all(at_its_line(reports[entry.path], *one) for one in entry.mistakes)
    return [
        ("single mistakes named first", percent(named, len(single))),
        ("single mistakes' lines", percent(lined, len(single))),
        ("double mistakes, both named", percent(both, len(double))),
        ("double mistakes, both lines", percent(both_lines, len(double))),
    ]


def peer_rows(entries: list[Entry], reports: dict[Path, Report]) -> list[tuple[str, str]]:
    """The same files under the peer's tests, where it poses the same problem."""
    try:
        get_task = importlib.import_module("torch_judge.tasks").get_task
    except ImportError:
        return [("torch-judge", "not installed")]
    importlib.import_module("torch")
    rows = []
    for kata, task_id in PEER_TASKS.items():
        mine = [e for e in entries if e.kata == kata and e.path.suffix == ".py"]
        passed = {
            e.path: peer_passes(get_task(task_id), e.path, reports[e.path].object or "")
            for e in mine
        }
        right = [e for e in mine if e.right]
        wrong = [e for e in mine if not e.right]
        rows += [
            (
                f"torch-judge, {kata}: rejected",
                percent(sum(not passed[e.path] for e in right), len(right)),
            ),
            (
                f"torch-judge, {kata}: accepted",
                percent(sum(passed[e.path] for e in wrong), len(wrong)),
            ),
        ]
    return rows


if __name__ == "__main__":
    main()
