"""What `--slice` takes of an enumeration: every row in its turn, and all that is new at once."""

import subprocess
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROWS = 24
TESTS = f"""
from collections import namedtuple
from pathlib import Path
import pytest

Row = namedtuple("Row", ["kata", "path"])
ROWS = [Row(f"kata{{n % 3}}", Path(__file__).parent / f"file{{n}}.py") for n in range({ROWS})]
ROWS.append(Row("rare", Path(__file__)))
ROWS.append(Row("rare", {{}}))

def named(row):
    return f"{{row.kata}}-{{getattr(row.path, 'stem', '')}}"

@pytest.mark.enumeration
@pytest.mark.parametrize("row", ROWS, ids=named)
def test_row(row): ...

@pytest.mark.each_kata
@pytest.mark.parametrize("name", [f"kata{{n}}" for n in range(9)])
def test_each(name): ...

@pytest.mark.whole
def test_whole(): ...

def test_other(): ...
"""
INI = "[pytest]\naddopts = --strict-markers\nmarkers =\n    each_kata\n    enumeration\n    whole\n"


@pytest.fixture
def chosen(pytester, root):
    """Collect with some options in a checkout; return which tests are chosen, and the header."""
    tests = pytester.mkdir("tests")
    (tests / "conftest.py").write_text((root / "tests" / "conftest.py").read_text("utf-8"), "utf-8")
    (tests / "test_many.py").write_text(TESTS, "utf-8")
    pytester.makefile(".ini", pytest=INI)
    git(pytester.path, "init", "-q")
    for message in ("first", "second"):
        git(pytester.path, "add", "-A")
        git(pytester.path, "commit", "-qm", message, "--allow-empty")

    def run(*options):
        done = pytester.runpytest_inprocess(
            "--collect-only", "-q", "-p", "no:asyncio", "-p", "no:cacheprovider", *options
        )
        names = {line.partition("::")[2] for line in done.outlines if "::" in line}
        return names, done.stdout.str()

    return run


def git(folder: Path, *asked: str) -> None:
    """Run git, as nobody in particular."""
    command = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", *asked]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def test_every_row_has_its_turn(chosen):
    """The slices together are all there is; each has a row of every kata, and what is no row."""
    every, _ = chosen()
    assert len(every) == ROWS + 4 + 9
    slices = [chosen(f"--slice={turn}/4")[0] for turn in range(1, 5)]
    rows = {name for name in every if name.startswith("test_row")}
    each = {name for name in every if name.startswith("test_each")}
    assert set.union(*slices) == {*rows, *each, "test_other"}
    for one in slices:
        assert "test_other" in one
        assert {name[9:].split("-")[0] for name in one & rows} == {
            "kata0",
            "kata1",
            "kata2",
            "rare",
        }
        assert len(one & rows) < ROWS / 2
    assert chosen("--slice=2/4", "--all")[0] == every


def test_some_katas_have_their_turn(chosen):
    """Of what has a row for each kata a quarter as many slices are made, each with some katas."""
    slices = [chosen(f"--slice={turn}/8")[0] for turn in range(1, 9)]
    each = [{name for name in one if name.startswith("test_each")} for one in slices]
    assert len(set.union(*each)) == 9
    assert all(0 < len(one) < 9 for one in each)
    assert each[0] == each[2]
    assert not each[0] & each[1]


def test_a_commit_has_its_slice(chosen, pytester):
    """N alone takes another slice at each commit; the header says which, and a run repeats it."""
    taken = []
    for _ in range(4):
        names, _ = chosen("--slice=4")
        header = pytester.runpytest_inprocess("--collect-only", "-p", "no:asyncio", "--slice=4")
        (line,) = [line for line in header.outlines if line.startswith("slice: ")]
        assert chosen(f"--slice={line.split()[1]}")[0] == names
        taken.append(names)
        git(pytester.path, "commit", "-qm", "next", "--allow-empty")
    assert len(set.union(*taken)) == ROWS + 3 + 9


def test_what_is_new_is_met(chosen, pytester):
    """A row about a file that is new, or that the last commit changed, is in every slice."""

    def always():
        return set.intersection(*(chosen(f"--slice={turn}/4")[0] for turn in range(1, 5)))

    assert "test_row[kata2-file5]" not in always()
    (pytester.path / "tests" / "file5.py").write_text("", "utf-8")
    assert "test_row[kata2-file5]" in always()
    for still in (True, False):
        git(pytester.path, "add", "-A")
        git(pytester.path, "commit", "-qm", "next", "--allow-empty")
        assert ("test_row[kata2-file5]" in always()) == still


@pytest.mark.parametrize("bad", ["0/4", "5/4", "x", "0", "1/0"])
def test_no_such_slice(chosen, pytester, bad):
    """A slice that there is not is refused before anything runs."""
    done = pytester.runpytest_inprocess(f"--slice={bad}")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
