"""Where the answer that a branch asks for is worked out, and what else is told by the source."""

from __future__ import annotations

import ast

import pytest
from attn_kata.checker.diagnose.asked import (
    answered,
    from_end,
    loop_over,
    neutral,
    regrown,
    undrawn,
)

CODE = """\
TILE = 32
def hides_nothing(mask):
    return bool((mask[0] != 0).all())
def noted(mask):
    if mask is None:
        return True
    return mask.any()
def forward(x, mask, window):
    padded = mask is not None and mask.dim() == 2
    if not hides_nothing(mask):
        x = x + 1
    if padded:
        x = x + 2
    if noted(mask):
        x = x + 3
    if x.shape[0] == x.shape[1]:
        x = x.tril()
    older = window - 1
    x = x[-older:]
    for start in range(0, len(x), TILE):
        x = x + start
    return x
"""
TREE = ast.parse(CODE)


@pytest.mark.parametrize(("asks", "line"), [(10, 3), (12, 9), (14, 14), (16, 16)])
def test_the_answer_of_a_branch(asks, line):
    """A helper that only decides and a flag are told; a helper of several returns is not."""
    node = next(n for n in ast.walk(TREE) if isinstance(n, ast.If) and n.lineno == asks)
    assert answered(TREE, node) == line


def test_a_causal_mask_that_is_not_drawn():
    """The branch is told that kept it from being drawn, where none of its lines ran."""
    assert undrawn(TREE, {8, 9, 18}) == 16
    assert undrawn(TREE, {8, 16, 17}) is None


def test_a_slice_and_a_loop_by_a_number():
    """A slice from the end by what a line binds, and a loop by what the file's head says."""
    assert (from_end(TREE, 18), from_end(TREE, 9)) == (19, None)
    assert (loop_over(TREE, 1), loop_over(TREE, 18)) == (20, None)


def test_what_is_kept_and_made_longer():
    """What a constructor makes is told to where a method makes it anew out of itself."""
    tree = ast.parse("""\
class Table:
    def __init__(self):
        self.rows, self.seen = [0], []
        self.angles = made(128)
    def grow(self, more):
        self.seen = [more]
        self.angles = join(self.angles, more)
""")
    assert (regrown(tree, 4), regrown(tree, 6)) == (7, None)


def test_nothing_in_place_of_what_is_worked_out():
    """A branch gives 0.0, or None, to what the other one makes; a whole number is a position."""
    code = """\
def forward(x, cache):
    if cache is None:
        key, bias = made(x)
        start = counted(x)
    else:
        key, bias = cache.key, 0.0
        start = 0
    return key + bias
"""
    assert neutral(ast.parse(code), {8}) == 6
    assert neutral(ast.parse(code), {3, 8}) is None
    assert neutral(ast.parse(code.replace("0.0", "0")), {8}) is None


def test_a_helper_that_is_asked_more_than_once():
    """It says nothing of one branch alone: the branch is told."""
    tree = ast.parse(CODE.replace("older = window - 1", "older = hides_nothing(x)"))
    node = next(n for n in ast.walk(tree) if isinstance(n, ast.If) and n.lineno == 10)
    assert answered(tree, node) == 10
