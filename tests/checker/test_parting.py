"""Where calls that go wrong part from those that are right: lines that ran, and what is said."""

from __future__ import annotations

import ast
import sys

import pytest
from attn_kata.checker.candidate.passed import Passed
from attn_kata.checker.diagnose.parting import parting

CODE = """\
def forward(x, long):
    if x == 1:
        return 0
    if x > 8: return 1
    if long:
        y = 2
    elif x == 3:
        y = 3
    else:
        y = 4
        y += 1
    if x != 5:
        y += 1
    return y
"""


@pytest.fixture
def ran():
    """The lines that run in a call."""
    scope = {}
    exec(compile(CODE, "mine.py", "exec"), scope)

    def lines(x, long=False):
        passed = Passed("mine.py")
        with passed:
            scope["forward"](x, long)
        assert sys.gettrace() is not passed._called
        return passed.lines

    return lines


@pytest.mark.parametrize(
    ("wrong", "right", "kind", "test", "line"),
    [
        ([(1,)], [(2,), (3,)], "returns", "x == 1", 3),
        ([(9,)], [(2,), (3,)], "returns", "x > 8", 4),
        ([(2, True), (3, True)], [(2,), (3,)], "runs", "long", 6),
        ([(3,)], [(2,), (4,), (2, True)], "runs", "x == 3", 8),
        ([(2,), (4,)], [(3,), (3, True)], "runs", "not x == 3", 10),
        ([(5,)], [(2,), (4,)], "skips", "x != 5", 12),
    ],
)
def test_the_branch_that_parts_them(ran, wrong, right, kind, test, line):
    """It is told by what runs, be it on the line of its test, and what is taken comes first."""
    bad, good = ([ran(*each) for each in some] for some in (wrong, right))
    found = parting(ast.parse(CODE), bad, good)
    assert found is not None
    assert (found.kind, found.test, found.line) == (kind, test, line)


def test_no_branch_parts_them(ran):
    """Where a call that is right goes the same way there is none, unless few may."""
    bad, good = [ran(1)], [ran(1), *(ran(x) for x in (2, 3, 4, 5, 6, 7, 8, 2, 3, 4))]
    assert parting(ast.parse(CODE), bad, good) is None
    found = parting(ast.parse(CODE), bad, good, stray=0.1)
    assert found is not None
    assert found.test == "x == 1"
