"""A round on the workers of a real scheduler, each a process, one of them killed."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

PROGRAM = "import sys; from attn_kata.cli import main; sys.exit(main())"
CLUSTER = """
import os, sys, time
from distributed import LocalCluster
if __name__ == "__main__":
    with LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                      host="127.0.0.1") as cluster:
        pids = [worker.process.pid for worker in cluster.workers.values()]
        print(cluster.scheduler_address, *pids, flush=True)
        sys.stdin.read()
"""


@pytest.fixture
def cluster(tmp_path):
    """A scheduler with two workers: its address, and the workers' processes."""
    script = tmp_path / "cluster.py"
    script.write_text(CLUSTER)
    with subprocess.Popen(
        [sys.executable, "-W", "ignore", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL, text=True, cwd=tmp_path,
    ) as held:  # fmt: skip
        assert held.stdout is not None
        address, *pids = held.stdout.readline().split()
        yield address, [int(pid) for pid in pids]
        held.communicate()


def test_none_is_lost_and_none_is_there_twice(cluster, tmp_path, root):
    """A worker that is killed midway costs no answer, and every answer has one report."""
    address, pids = cluster
    folder = tmp_path / "class"
    folder.mkdir()
    wrong = (root / "examples" / "wrong_mha.py").read_text("utf-8")
    for number in range(6):
        (folder / f"s{number:02}.py").write_text(f"{wrong}\n# {number}\n")
    ledger = tmp_path / "out" / "grade.jsonl"
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, "grade", "class", "--out", "out", "--scheduler", address],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        env={**os.environ, "ATTN_KATA_HOME": str(tmp_path / "home")},
    ) as grading:  # fmt: skip
        end = time.monotonic() + 200
        while time.monotonic() < end and grading.poll() is None:
            if ledger.exists() and ledger.read_text().count('"report"') >= 2:
                os.kill(pids[0], signal.SIGKILL)
                break
            time.sleep(0.05)
        out, err = grading.communicate(timeout=300)
    assert grading.returncode == 0, err
    assert "6 submissions, 6 answers: 0 pass, 6 fail, 0 error, 0 not judged" in out
    keys = [json.loads(row).get("key") for row in ledger.read_text().splitlines()[1:]]
    assert len(keys) == len(set(keys)) == 6
