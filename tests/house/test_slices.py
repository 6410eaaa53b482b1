"""What `--slice` takes of an enumeration: so many rows, each in its turn, and what is new."""

import subprocess
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROWS, SIZE, KATAS, COSTLY = 24, 6, 9, 12
TESTS = f"""
from collections import namedtuple
from pathlib import Path
import pytest

Row = namedtuple("Row", ["kata", "path"])
ROWS = [Row(f"kata{{n % 3}}", Path(__file__).parent / f"file{{n}}.py") for n in range({ROWS})]
ROWS.append(Row("odd", {{}}))

def named(row):
    return f"{{row.kata}}-{{getattr(row.path, 'stem', '')}}"

@pytest.mark.enumeration({SIZE})
@pytest.mark.parametrize("row", ROWS, ids=named)
def test_row(row): ...

@pytest.mark.each_kata
@pytest.mark.parametrize("name", [f"kata{{n}}" for n in range({KATAS})])
def test_each(name): ...

@pytest.mark.whole
def test_whole(): ...

@pytest.mark.costly
@pytest.mark.parametrize("name", range({COSTLY}))
def test_costly(name): ...

def test_other(): ...
"""
INI = """
[pytest]
addopts = --strict-markers
markers =
    costly
    each_kata(size)
    enumeration(size)
    whole
"""


@pytest.fixture
def chosen(pytester, root):
    """Collect with some options in a checkout; return which tests are chosen, and what was said."""
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
        return names, done.stdout.str() + done.stderr.str()

    return run


def git(folder: Path, *asked: str) -> None:
    """Run git, as nobody in particular."""
    command = ["git", "-c", "user.name=n", "-c", "user.email=n@example.org", *asked]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)


def rows(names, test="test_row"):
    """Those of a test's rows that are among these."""
    return {name for name in names if name.startswith(test)}


def test_every_row_has_its_turn(chosen):
    """The slices together are all there is, each is a part, and what is no row is in all."""
    every, _ = chosen()
    assert len(every) == ROWS + 3 + KATAS + COSTLY
    slices = [chosen(f"--slice={turn}")[0] for turn in range(15)]
    assert set.union(*slices) == every - {"test_whole"}
    assert all("test_other" in one for one in slices)
    assert all(0 < len(rows(one)) < 2 * SIZE for one in slices)
    assert all(0 < len(rows(one, "test_each")) < KATAS for one in slices)
    assert all(0 < len(rows(one, "test_costly")) < COSTLY for one in slices)
    assert not rows(slices[0]) & rows(slices[1])
    assert rows(slices[0]) == rows(slices[5])
    assert chosen("--slice=2", "--all")[0] == every


def test_a_slice_does_not_grow(chosen, pytester):
    """Four times as many rows make four times as many slices, each as large as before."""
    file = pytester.path / "tests" / "test_many.py"
    file.write_text(TESTS.replace(f"range({ROWS})", f"range({4 * ROWS})"), "utf-8")
    sizes = [len(rows(chosen(f"--slice={turn}")[0])) for turn in range(17)]
    assert sum(sizes) == 4 * ROWS + 1
    assert max(sizes) < 3 * SIZE


def test_what_grows_is_marked(chosen, pytester):
    """A test of many rows is refused where it does not say that it is an enumeration."""
    file = pytester.path / "tests" / "test_many.py"
    file.write_text(TESTS.replace("range(9)", "range(65)").replace("@pytest.mark.each_kata", ""))
    assert "test_each has 65 rows: make it one test, or" in chosen("--slice=1")[1]
    assert len(chosen()[0]) == ROWS + 3 + 65 + COSTLY


def test_a_commit_has_its_slice(chosen, pytester):
    """Another slice is taken at each commit; the header says which, and a run repeats it."""
    taken = []
    for _ in range(5):
        names, _ = chosen("--slice=commit")
        header = pytester.runpytest_inprocess(
            "--collect-only", "-p", "no:asyncio", "--slice=commit"
        )
        (line,) = [line for line in header.outlines if line.startswith("slice: ")]
        assert chosen(line.split()[1])[0] == names
        taken.append(names)
        git(pytester.path, "commit", "-qm", "next", "--allow-empty")
    assert len(rows(set.union(*taken))) == ROWS + 1


def test_what_is_new_is_met(chosen, pytester):
    """A row about a file that is new, or that the last commit changed, is in every slice."""

    def always():
        return set.intersection(*(chosen(f"--slice={turn}")[0] for turn in range(5)))

    assert "test_row[kata2-file5]" not in always()
    (pytester.path / "tests" / "file5.py").write_text("", "utf-8")
    assert "test_row[kata2-file5]" in always()
    for still in (True, False):
        git(pytester.path, "add", "-A")
        git(pytester.path, "commit", "-qm", "next", "--allow-empty")
        assert ("test_row[kata2-file5]" in always()) == still


def test_what_is_new_has_an_end(chosen, pytester):
    """Where very much is new, a slice of it is met."""
    for n in range(ROWS):
        (pytester.path / "tests" / f"file{n}.py").write_text("", "utf-8")
    assert all(SIZE <= len(rows(chosen(f"--slice={turn}")[0])) < 3 * SIZE for turn in range(5))


@pytest.mark.parametrize("bad", ["1/4", "x", ""])
def test_no_such_slice(chosen, pytester, bad):
    """A slice that there is not is refused before anything runs."""
    done = pytester.runpytest_inprocess(f"--slice={bad}")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
