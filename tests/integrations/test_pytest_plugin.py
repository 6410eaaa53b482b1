"""The plugin, in a pytest of its own."""

import json
import xml.etree.ElementTree as ET
from importlib import import_module

import pytest

pytest_plugins = ["pytester"]

TESTS = """
from attn_kata import assert_kata
from right import MultiHeadAttention
from wrong import Wrong

def test_right():
    assert assert_kata("mha", MultiHeadAttention).verdict == "pass"

def test_by_fixture(assert_kata):
    assert_kata("mha", Wrong, seed=1)
"""


# Plugins that have no part in it, and take longer to load than ours.
QUIET = [
    word for name in ("asyncio", "pytest-lsp", "hypothesispytest") for word in ("-p", f"no:{name}")
]


@pytest.fixture
def place(pytester, shared_judge, root):
    """A folder with a right and a wrong class, and tests of both."""
    right, wrong = (
        (root / "examples" / f"{name}_mha.py").read_text("utf-8") for name in ("right", "wrong")
    )
    wrong = wrong.replace("class MultiHeadAttention", "class Wrong")
    pytester.makepyfile(right=right, wrong=wrong, test_mine=TESTS)
    pytester.syspathinsert()
    # A session in this process forgets what it has imported, and torch comes once in a process.
    import_module("torch")
    return pytester


@pytest.mark.costly
def test_a_test_fails_with_the_screen(place):
    """A class that is right passes; of another the test's failure is the screen, without ours."""
    done = place.runpytest_subprocess(*QUIET, "--kata-report")
    done.assert_outcomes(passed=1, failed=1)
    # Where a long path stands alone, the place is told in the summary, after what passes.
    for line in ("*scale-by-hidden-dim*", "*wrong.py:31*", "PASS    mha  *right.py"):
        done.stdout.fnmatch_lines([line])
    assert "__tracebackhide__" not in done.stdout.str()


# Processes of xdist take as long again each, and know nothing of a form.
@pytest.mark.costly
@pytest.mark.parametrize(("ending", "processes"), [("json", 2), ("sarif", 0), ("xml", 0)])
def test_reports_are_written(place, ending, processes):
    """All reports of a session come into one file, from the processes of xdist too."""
    run = place.runpytest_subprocess if processes else place.runpytest_inprocess
    run(*QUIET, f"-n{processes}", f"--kata-report=out.{ending}")
    text = (place.path / f"out.{ending}").read_text("utf-8")
    if ending == "json":
        assert sorted(one["verdict"] for one in json.loads(text)) == ["fail", "pass"]
    elif ending == "sarif":
        (result,) = json.loads(text)["runs"][0]["results"]
        assert result["ruleId"] == "scale-by-hidden-dim"
    else:
        assert ET.fromstring(text.partition("\n")[2]).get("failures") == "1"


def test_a_file_of_no_form(place):
    """A name that says no form is refused before any test runs."""
    done = place.runpytest_subprocess(*QUIET, "--kata-report", "tests")
    assert done.ret == pytest.ExitCode.USAGE_ERROR
    done.stderr.fnmatch_lines(["*has to end in .json, .sarif or .xml*"])
