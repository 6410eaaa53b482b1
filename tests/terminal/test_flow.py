"""The shape flow on the screen: names, ticks, the first departure, folded loops."""

import os
from pathlib import Path

import pytest
from attn_kata.checker.report.report import Departure, Report, Step
from attn_kata.terminal.flow import flow_lines
from attn_kata.terminal.folding import Loop, Row, folded
from attn_kata.terminal.text import cells, written

GOLDEN = Path(__file__).parent / "golden"
WRITE = "REGENERATE_GOLDEN"

WIDE = ["batch", "length", "hidden_dim"]
HEADS = ["batch", "heads", "length", "head_dim"]
GRID = ["batch", "heads", "length", "length"]
SIZES = {"batch": 2, "heads": 3, "length": 5, "head_dim": 4, "hidden_dim": 12, "3·hidden_dim": 36}


def step(line, call, axes, milestone=None, **more):
    """A traced call."""
    shape = [SIZES[name] for name in axes]
    return Step(line=line, call=call, shape=shape, axes=axes, milestone=milestone, **more)


def straight():
    """A wrong scale in code without loops."""
    return Report(
        kata="mha", file="mine.py", verdict="fail",
        trace=[
            step(20, "linear", ["batch", "length", "3·hidden_dim"], "qkv"),
            step(20, "chunk", WIDE, "query, key, value", parts=3),
            step(21, "view", [*HEADS[:1], "length", "heads", "head_dim"]),
            step(21, "transpose", HEADS),
            step(24, "__matmul__", GRID, "products"),
            step(25, "div", GRID, missed="scores"),
            step(26, "softmax", GRID),
            step(27, "matmul", HEADS),
            step(28, "linear", WIDE),
        ],
        departure=Departure(
            milestone="scores", line=25, since=24,
            message="every entry is 0.577 times the expected one",
        ),
    )  # fmt: skip


def looped():
    """Code that loops over positions, and never makes the last step."""
    rounds = [
        one
        for turn in range(64)
        for one in (
            step(20, "getitem", WIDE[::2]),
            step(22, "matmul", WIDE[:2], "scores" if turn == 3 else None),
            Step(line=24, call="stack", shape=[turn + 1, 12], axes=["…", "hidden_dim"]),
        )
    ]
    return Report(
        kata="v1", file="mine.py", verdict="fail",
        trace=[step(19, "linear", WIDE, "query"), *rounds, step(None, "cat", WIDE)],
        departure=Departure(milestone="output", since=24),
    )  # fmt: skip


FLOWS = {"straight": straight, "looped": looped}


def drawn(name, language, width):
    """Draw one of the flows as text."""
    lines = flow_lines(FLOWS[name](), language, width)
    return "".join(f"{written(line)}\n" for line in lines)


@pytest.mark.parametrize("width", [80, 40])
@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", FLOWS)
def test_flow_is_the_stored_one(name, language, width):
    """A trace is drawn as it was when a person last looked at it, and fits its screen."""
    file = GOLDEN / f"flow-{name}.{language}.{width}.txt"
    text = drawn(name, language, width)
    if os.environ.get(WRITE):
        file.write_text(text, "utf-8")
    assert text == file.read_text("utf-8"), f"if this is better: {WRITE}=1 pytest {__file__}"
    assert all(cells(row) <= width for row in text.splitlines())


def test_no_trace():
    """Where nothing was recorded, it says so."""
    lines = flow_lines(Report(kata="v1", file="x.py", verdict="error"), "en", 80)
    assert [written(line) for line in lines] == [
        "  no trace: the judge recorded no calls of this file"
    ]


def calls(*lines):
    """Steps on these lines, one a line."""
    return [Step(line=line, call="mul", shape=[2]) for line in lines]


def test_short_repetitions_stay():
    """Three rounds of two calls read better as they are."""
    assert all(isinstance(row, Row) for row in folded(calls(1, 2, 1, 2, 1, 2)))


def test_nested_loops_fold_inside_out():
    """An inner loop of the same length in each round is one row of the outer one."""
    once = [1, *[2, 3] * 4, 4]
    rows = folded(calls(*(once * 5), 9))
    assert len(rows) == 2
    outer = rows[0]
    assert isinstance(outer, Loop)
    assert outer.times == 5
    inner = outer.body[1]
    assert isinstance(inner, Loop)
    assert inner.times == 4
    assert [row.step.line for row in inner.body if isinstance(row, Row)] == [2, 3]


def test_rounds_keep_what_was_reached():
    """A tick in one round is a tick of the loop."""
    steps = calls(*[1, 2] * 6)
    steps[5].milestone, steps[8].missed = "scores", "weights"
    (loop,) = folded(steps)
    assert isinstance(loop, Loop)
    first, second = (row.step for row in loop.body if isinstance(row, Row))
    assert second.milestone == "scores"
    assert first.missed == "weights"


def test_an_axis_that_grows_has_no_size():
    """Where rounds differ in an axis, its name is left out."""
    steps = [Step(line=1, call="cat", shape=[2, n], axes=["batch", "length"]) for n in range(1, 12)]
    (loop,) = folded(steps)
    assert isinstance(loop, Loop)
    row = loop.body[0]
    assert isinstance(row, Row)
    assert row.step.axes == ["batch", "…"]


def test_what_cannot_be_folded_is_listed_by_line():
    """Rounds that differ in their calls are summed up, line by line."""
    lines = [n for turn in range(60) for n in (1, *[2] * (turn % 7), *[3] * (turn % 5))]
    rows = folded(calls(*lines))
    assert [(row.step.line, row.times) for row in rows if isinstance(row, Row)] == [
        (1, 60), (2, lines.count(2)), (3, lines.count(3))
    ]  # fmt: skip


def test_thousands_of_calls_are_few_lines():
    """A trace as long as any is drawn on a screen."""
    rows = folded(calls(*[n for _ in range(40) for n in (1, *[2, 3, 4] * 30, 5)]))
    assert len(rows) == 1
