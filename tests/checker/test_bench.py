"""A row of judges: checks begun and dropped, judges that die."""

import contextlib
import os
import signal
import tempfile
import threading
import time
from pathlib import Path

import pytest
from attn_kata.checker import client
from attn_kata.checker.client import Bench, Died, Options, lost
from attn_kata.checker.process import launch
from attn_kata.checker.process.process_tree import children
from attn_kata.sentences.wording import sentence

RIGHT = Path(__file__).parent.parent.parent / "examples" / "right_mha.py"

# A submission that has worked for so long does nothing else.
_TICKS = 20
# Seconds. What happens at all happens sooner, on the busiest of machines.
_NEVER = 120


@pytest.mark.parametrize("there", [True, False])
def test_a_judge_that_cannot_start_without_torch(monkeypatch, there):
    """Where torch is not installed that is said, and nobody is asked to report it."""
    monkeypatch.setattr(client.importlib.util, "find_spec", lambda _: there or None)
    error = lost("v1", "v1.py").error
    assert error is not None
    assert ("PyTorch is not installed" in sentence(error.message, "en")) is not there


@pytest.fixture(scope="module")
def bench():
    """Two judges."""
    with Bench(2) as bench:
        yield bench


@pytest.fixture
def endless(tmp_path):
    """A file that never loads."""
    file = tmp_path / "endless.py"
    file.write_text("while True: pass\n")
    return file


def test_no_files(bench):
    """Of no file there is no report."""
    assert [*bench.judge("v1", [], Options())] == []


def worked(pid):
    """How long a process has worked, in clock ticks."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0
    return int(fields[11])


def running(bench):
    """Wait until a submission runs, and return the number of its process."""
    found = []

    def there():
        # What forks the judges forks supervisors too, and a supervisor its candidates.
        middle = [one for child in children(bench.started.pid) for one in children(child)]
        found[:] = [one for one in middle if worked(one) > _TICKS]
        return bool(found)

    _by(there)
    return found[0]


def gone(pid):
    """Whether a process has ended, or does soon."""

    def ended():
        try:
            return Path(f"/proc/{pid}/stat").read_text().split()[2] == "Z"
        except OSError:
            return True

    return _by(ended)


def _by(true):
    late = time.monotonic() + _NEVER
    while not true():
        assert time.monotonic() < late
        time.sleep(0.01)
    return True


@pytest.mark.costly
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
def test_dropped_check_ends_at_once(bench, endless):
    """The submission is ended long before its time, and the next check does not wait for it."""
    underway = bench.begin("mha", endless, Options(timeout=300.0))
    pid = running(bench)
    underway.drop()
    assert bench.begin("mha", RIGHT, Options()).report().verdict == "pass"
    assert gone(pid)
    assert len(bench.judges) == 2


def test_checks_side_by_side(bench):
    """A second check may begin before the first has ended."""
    first, second = (bench.begin("mha", RIGHT, Options(seed=n)) for n in range(2))
    assert [second.report().seed, first.report().seed] == [1, 0]


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
def test_what_forks_the_judges_dies(bench, endless):
    """The check under way is lost, and the next one is judged as if nothing had been."""
    underway = bench.begin("mha", endless, Options(timeout=300.0))
    pid = running(bench)
    os.kill(bench.started.pid, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)
    # Its judge may still say what became of the submission, or may be gone as well.
    with contextlib.suppress(Died):
        assert underway.report().verdict == "error"
    assert bench.begin("mha", RIGHT, Options()).report().verdict == "pass"


@pytest.mark.costly
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
def test_files_after_one_that_a_judge_died_of(endless):
    """A judge that is gone costs the file it was at, and no other."""
    with Bench(1) as bench:
        first = next(bench.judge("mha", [RIGHT], Options()))
        children = Path(f"/proc/{bench.started.pid}/task/{bench.started.pid}/children")
        for child in children.read_text().split():
            # The candidate of the first check may be on its way out.
            with contextlib.suppress(ProcessLookupError):
                os.kill(int(child), signal.SIGKILL)
            assert gone(int(child))
        later = [report.verdict for report in bench.judge("mha", [RIGHT, RIGHT], Options())]
    assert first.verdict == "pass"
    assert later == ["error", "pass"]


@pytest.mark.costly
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
def test_files_are_judged_again_where_what_forks_the_judges_died(tmp_path):
    """That was no file's fault: all have the verdicts that they have anywhere."""
    busy, free = tmp_path / "busy.py", tmp_path / "free"
    work = f"from pathlib import Path\nwhile not Path({str(free)!r}).exists(): pass\n"
    busy.write_text(work + RIGHT.read_text("utf-8"), "utf-8")
    with Bench(2) as bench:

        def end():
            running(bench)
            for pid in (bench.started.pid, *children(bench.started.pid)):
                os.kill(pid, signal.SIGKILL)
            free.touch()

        killer = threading.Thread(target=end)
        killer.start()
        reports = list(bench.judge("mha", [busy, busy, RIGHT], Options()))
        killer.join()
    assert [report.verdict for report in reports] == ["pass"] * 3
    assert bench.renewals == 1


@pytest.mark.costly
@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks processes up in /proc")
def test_supervisor_that_dies_takes_no_other_along(tmp_path, monkeypatch):
    """A judge ends, and its supervisor still removes files when another supervisor is killed."""
    place = tmp_path / "temporary"
    place.mkdir()
    monkeypatch.setenv("TMPDIR", str(place))
    monkeypatch.setattr(tempfile, "tempdir", None)
    file = tmp_path / "leaves.py"
    file.write_text("for n in range(4000): open(str(n), 'w').close()\nwhile True: pass\n")
    with Bench(2) as bench:
        underway = bench.begin("mha", file, Options(timeout=300.0))
        _by(lambda: any(place.glob("*/3999")))
        judge, _, _, other = sorted(children(bench.started.pid))
        for pid in (judge, other):
            os.kill(pid, signal.SIGKILL)
            _by(lambda pid=pid: not Path(f"/proc/{pid}").exists())
        underway.judge.close()
    # The one that was killed could not remove its own, where the file wrote nothing.
    assert not any(place.glob("*/[0-9]*"))


def begun_ahead(file):
    """Begin to judge a file before there is a bench, and return the job."""
    launch.begin()
    client.begin_ahead("mha", file, Options())
    started = launch.early()
    assert started is not None
    assert started.ahead is not None
    return started.ahead


@pytest.mark.parametrize("other", ["none", "seed", "file", "kata", "two"])
def test_a_check_begun_ahead(tmp_path, other):
    """What was begun is what the next bench gives, or is dropped where something else is asked."""
    broken = tmp_path / "broken.py"
    broken.write_text("def (\n")
    ahead = begun_ahead(broken)
    files = {"file": [RIGHT], "two": [broken, RIGHT]}.get(other, [broken])
    options = Options(seed=ahead.seed + 1) if other == "seed" else Options()
    with Bench() as bench:
        (first,) = bench.judges
        found = list(bench.judge("causal" if other == "kata" else "mha", files, options))
        kept = bench.judges == [first]
    verdicts = {"file": ["pass"], "two": ["error", "pass"]}.get(other, ["error"])
    assert [report.verdict for report in found] == verdicts
    assert {report.seed == ahead.seed for report in found} == {kept}
    assert kept is (other in {"none", "two"})


def test_a_check_begun_ahead_is_found_at_a_save():
    """A check that is begun alone finds it too."""
    ahead = begun_ahead(RIGHT)
    with Bench() as bench:
        report = bench.begin("mha", RIGHT, Options()).report()
    assert (report.verdict, report.seed) == ("pass", ahead.seed)
