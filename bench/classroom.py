"""A class of a thousand, graded here and on the workers of a cluster of which one is killed.

The submissions are the corpora's files on katas that are quick to judge, right and wrong by turns,
each with a number in a comment, so that none is another's. A round is lost where an answer has no
report, doubled where one has two, and false where what the corpus says is right does not pass or
what it says is wrong does. The cluster needs `attn-kata[grade]`.

    python bench/classroom.py [--count 1000] [--workers 4] [--only here|cluster]
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from measure import PROGRAM, ROOT

KATAS = (
    "drill-softmax", "drill-matmul", "drill-heads", "drill-axes", "drill-mask", "drill-expand",
)  # fmt: skip
_HEADER = re.compile(r"# (?:right|wrong): ([\w-]+)")
# A scheduler with workers in processes of their own, until nobody listens any more.
_CLUSTER = """
import sys
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=int(sys.argv[1]), threads_per_worker=1, processes=True,
                      dashboard_address=None, host="127.0.0.1") as cluster:
        pids = [worker.process.pid for worker in cluster.workers.values()]
        print(cluster.scheduler_address, *pids, flush=True)
        sys.stdin.read()
"""


def main() -> None:
    """Grade the class where it is asked for, and print a row each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--count", type=int, default=1000, help="submissions (default: 1000)")
    parser.add_argument("--workers", type=int, default=4, help="of the cluster (default: 4)")
    parser.add_argument("--only", choices=("here", "cluster"), help="one of the two rounds")
    asked = parser.parse_args()
    print("| where | submissions | seconds | a second | lost | doubled | false | verdicts |")
    print("|---|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        wanted = submissions(folder / "class", asked.count)
        if asked.only != "cluster":
            print(row("here", wanted, *graded(folder, "here")), flush=True)
        if asked.only != "here":
            with cluster(folder, asked.workers) as (address, workers):
                took = graded(folder, "cluster", address, workers[0])
            told = f"{asked.workers} workers, one killed"
            print(row(told, wanted, *took), flush=True)


def submissions(folder: Path, count: int) -> dict[str, str]:
    """Write a class; return what each file is said to be: right or wrong."""
    folder.mkdir()
    found: list[list[tuple[str, str, Path]]] = []
    for kind in ("right", "wrong"):
        files = sorted((ROOT / "tests" / "corpus" / kind).glob("*.py"))
        told = [(kind, _HEADER.match(file.read_text("utf-8")), file) for file in files]
        found.append([(kind, one[1], file) for kind, one, file in told if one and one[1] in KATAS])
    turns = zip(*map(itertools.cycle, found), strict=False)
    wanted: dict[str, str] = {}
    for number, (kind, kata, file) in enumerate(
        itertools.islice(itertools.chain.from_iterable(turns), count)
    ):
        text = file.read_text("utf-8").partition("\n")[2]
        name = f"s{number:04}"
        (folder / f"{name}.py").write_text(f"# attn-kata: {kata}\n{text}\n# {number}\n", "utf-8")
        wanted[name] = kind
    return wanted


@contextmanager
def cluster(folder: Path, workers: int) -> Generator[tuple[str, list[int]]]:
    """Have a scheduler with workers: its address, and their processes."""
    script = folder / "cluster.py"
    script.write_text(_CLUSTER, "utf-8")
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", str(script), str(workers)], stdin=subprocess.PIPE,
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, cwd=folder,
    ) as held:  # fmt: skip
        assert held.stdout is not None
        address, *pids = held.stdout.readline().split()
        yield address, list(map(int, pids))
        held.communicate()


def graded(folder: Path, out: str, address: str = "", victim: int = 0) -> tuple[Path, float]:
    """Grade the class; return the folder with what came of it, and the seconds it took.

    victim: a worker's process that is killed once a tenth of the reports is there.
    """
    results = folder / out
    command = [PROGRAM, "grade", "class", "--out", out, "--seed", "1"]
    command += ["--scheduler", address] if address else []
    environment = {**os.environ, "ATTN_KATA_HOME": str(folder / "home"), "NO_COLOR": "1"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as grading:
        ledger = results / "grade.jsonl"
        enough = len(list((folder / "class").iterdir())) // 10
        while victim and grading.poll() is None:
            if ledger.exists() and ledger.read_bytes().count(b'"report"') >= enough:
                os.kill(victim, signal.SIGKILL)
                break
            time.sleep(0.1)
        _, said = grading.communicate()
    taken = time.perf_counter() - start
    if grading.returncode:
        raise SystemExit(said.decode())
    return results, taken


def row(where: str, wanted: dict[str, str], results: Path, taken: float) -> str:
    """Sum a round up. A key that stands twice in the ledger was judged twice."""
    lines = (results / "grade.jsonl").read_text("utf-8").splitlines()
    keys = Counter(one["key"] for one in map(json.loads, lines) if "key" in one)
    answers = json.loads((results / "grade.json").read_text("utf-8"))["answers"]
    verdict = {one["submission"]: one["verdict"] for one in answers}
    lost = sum(verdict.get(name, "none") == "none" for name in wanted)
    doubled = sum(count - 1 for count in keys.values())
    doubled += len(answers) - len(verdict)
    false = [
        name for name, kind in wanted.items() if (kind == "right") != (verdict.get(name) == "pass")
    ]
    counts = " ".join(f"{count} {name}" for name, count in Counter(verdict.values()).items())
    for name in false:
        print(f"false: {name}.py, {verdict.get(name)}", file=sys.stderr)
    return (
        f"| {where} | {len(wanted)} | {taken:.0f} | {len(wanted) / taken:.1f} | {lost} "
        f"| {doubled} | {len(false)} | {counts} |"
    )


if __name__ == "__main__":
    main()
