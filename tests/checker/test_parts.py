"""Katas of several functions are judged function by function, as they are written."""

from __future__ import annotations

import pytest
from attn_kata.checker.judge.source import read
from attn_kata.checker.judge.written import hollow
from attn_kata.kata.catalogue import find

UNWRITTEN = '    raise NotImplementedError("write me")\n'
HEADS = find("drill-softmax").stub()
RIGHT = {
    "softmax": "    shifted = (x - x.amax(dim, keepdim=True)).exp()\n"
    "    return shifted / shifted.sum(dim, keepdim=True)\n",
    "log_sum_exp": "    top = x.amax(dim, keepdim=True)\n"
    "    return (x - top).exp().sum(dim).log() + top.squeeze(dim)\n",
    "masked_softmax": "    lowest = torch.finfo(scores.dtype).min\n"
    "    hidden = scores.masked_fill(mask == 0, lowest)\n"
    "    return softmax(hidden) * (mask != 0)\n",
}
WRONG = RIGHT["softmax"].replace("dim", "0").replace("keep0", "keepdim")
UNSTABLE = """\
    low = x.amin(dim, keepdim=True)
    return (x - low).exp().sum(dim).log() + low.squeeze(dim)
"""


def drill(**bodies: str) -> str:
    """The stub of the softmax drill with some of its functions written."""
    pieces = HEADS.split(UNWRITTEN)
    ends = [bodies.get(name, UNWRITTEN) for name in RIGHT]
    return "".join(piece + end for piece, end in zip(pieces, [*ends, ""], strict=True))


def states(report):
    """How each function stands."""
    return [part.status for part in report.functions]


def test_nothing_is_written(judged):
    """The stub waits as a whole, each function at its own line."""
    report = judged("drill-softmax", drill())
    assert report.verdict == "error"
    assert states(report) == ["waits", "waits", "waits"]
    assert [part.line for part in report.functions] == [
        number for number, line in enumerate(HEADS.split("\n"), 1) if "NotImpl" in line
    ]
    assert report.unfinished


@pytest.mark.parametrize("body", ["    ...\n", "    pass\n", "    return None\n", ""])
def test_some_are_right(judged, body):
    """What is right counts, what is a stub waits, and the file is no pass."""
    source = drill(softmax=RIGHT["softmax"], log_sum_exp=body or UNWRITTEN)
    report = judged("drill-softmax", source)
    assert (report.verdict, report.diagnosis) == ("error", [])
    assert report.error.message == "1 of 3 done; still to write: `log_sum_exp`, `masked_softmax`"
    assert states(report) == ["pass", "waits", "waits"]
    assert report.unfinished
    assert report.error.line == report.functions[1].line


def test_one_is_wrong(judged):
    """A wrong function is diagnosed while others are unwritten, at its line and with its reason."""
    report = judged("drill-softmax", drill(softmax=WRONG))
    assert report.verdict == "fail"
    assert report.diagnosis[0].mistake == "axis-ignored"
    assert states(report) == ["fail", "waits", "waits"]
    assert not report.unfinished
    first = report.functions[0]
    assert (first.line, "cases" in first.message) == (report.diagnosis[0].line, True)


def test_a_crash_hides_nothing(judged):
    """A function that raises is told first; the others have their verdicts all the same."""
    raising = "    return x.exp().sum(dim).logg()\n"
    report = judged("drill-softmax", drill(softmax=WRONG, log_sum_exp=raising))
    assert report.verdict == "error"
    assert "you probably meant `log`" in report.error.message
    assert states(report) == ["fail", "fail", "waits"]
    assert report.functions[1].message == report.error.message
    assert "axis-ignored" in {one.mistake for one in report.diagnosis}


def test_an_end_hides_nothing(judged):
    """A function that ends its process keeps no verdict back, before it and behind it."""
    ending = "    import os; os._exit(3)\n"
    bodies = {**RIGHT, "log_sum_exp": ending}
    report = judged("drill-softmax", drill(**bodies))
    assert (report.verdict, report.error.kind) == ("error", "crash")
    assert "exit status 3" in report.error.message
    assert states(report) == ["pass", "fail", "pass"]
    assert "exit status 3" in report.functions[1].message


def test_one_that_calls_another(judged):
    """What calls an unwritten function waits for it."""
    report = judged("drill-softmax", drill(masked_softmax=RIGHT["masked_softmax"]))
    assert states(report) == ["waits", "waits", "waits"]
    last = report.functions[2]
    assert last.message == "calls `softmax`, which is not written yet"
    assert last.line == report.functions[0].line


def test_missing_functions_wait(judged):
    """A function that the file has not is not written yet; one that fits nothing is listed."""
    source = f"import torch\n\n\ndef softmax(x, dim=-1):\n{RIGHT['softmax']}\n\ndef other(a): ...\n"
    report = judged("drill-softmax", source)
    assert states(report) == ["pass", "waits", "waits"]
    assert report.functions[1].line is None
    assert "`log_sum_exp(x, dim=-1)`" in report.error.help
    assert "`other` (9)" in report.error.help


def test_what_fails_elsewhere_does_not_wait(judged):
    """What fails in one function is not held back by the values of another."""
    report = judged("drill-softmax", drill(softmax=WRONG, log_sum_exp=UNSTABLE))
    details = {check.id: check.detail for check in report.checks if check.status == "fail"}
    assert details["values"].startswith("`softmax`")
    assert details["stability"].startswith("`log_sum_exp`")
    assert states(report) == ["fail", "fail", "waits"]


def test_all_are_right(judged):
    """A file in which all is right passes, and says so of each."""
    report = judged("drill-softmax", drill(**RIGHT))
    assert report.verdict == "pass"
    assert states(report) == ["pass", "pass", "pass"]


@pytest.mark.parametrize("body", ["raise NotImplementedError", "pass", "...", "return None"])
def test_a_class_that_is_not_written(judged, body):
    """A class whose forward is a stub waits too."""
    source = find("v1").stub().replace('raise NotImplementedError("write me")', body)
    report = judged("v1", source)
    assert report.verdict == "error"
    assert "not written yet" in report.error.message
    assert states(report) == ["waits"]


def test_what_does_nothing(tmp_path):
    """A body is unwritten where it does nothing, or says so; one that returns something is not."""
    nothing = ("pass", "...", "'doc'", "raise NotImplementedError", "return", "return None",
               "raise NotImplementedError('later')")  # fmt: skip
    something = ("return 0", "raise ValueError", "x = 1", "print(1)")
    bodies = dict.fromkeys(nothing, True) | dict.fromkeys(something, False)
    (tmp_path / "mine.py").write_text("".join(f"def f():\n    {body}\n" for body in bodies))
    source = read(tmp_path / "mine.py")
    lines = range(1, 2 * len(bodies), 2)
    assert [hollow(source, line) is not None for line in lines] == list(bodies.values())


@pytest.mark.costly
@pytest.mark.parametrize(
    ("body", "milestone", "at"),
    [
        (("weighed.sum(dim=0)", "weighed.mean(dim=0)"), "merged", "weighed.mean"),
        (("finite_lse + whole.log()", "whole.log() - finite_lse"), "merged_lse", "() - finite"),
    ],
)  # fmt: skip
def test_one_of_several_results_is_wrong(judged, body, milestone, at):
    """The step is that result's, and its function is said to be wrong on that line."""
    source = find("split-k").solution().replace(*body)
    report = judged("split-k", source)
    line = next(n for n, row in enumerate(source.splitlines(), 1) if at in row)
    assert report.departure.milestone == milestone
    assert report.departure.line == line
    merge = report.functions[1]
    assert (merge.name, merge.status, merge.line) == ("merge", "fail", line)


def test_an_axis_less_is_no_step(judged):
    """What only drops an axis of something right is not where the result went wrong."""
    source = find("drill-softmax").solution().replace("logs + top", "logs - top")
    report = judged("drill-softmax", source)
    assert (report.departure.milestone, report.departure.message) == ("result", "")
