"""Which class of a file is judged, and which others are said to fit."""

import pytest
from attn_kata.checker.judge.choose import choose
from attn_kata.checker.process.answers import Entry, Parameter
from attn_kata.checker.report.report import Named, Report
from attn_kata.kata.catalogue import find


def entry(name, *bases):
    """Describe a module with heads and a forward, as the candidate's process does."""

    def parameter(named):
        kind = "POSITIONAL_OR_KEYWORD"
        return Parameter(name=named, kind=kind, has_default=False, default=None)

    constructor = [parameter("dim"), parameter("heads")]
    return Entry(name=name, module=True, line=3, bases=list(bases) or ["Module"],
                 constructor=constructor, arguments=[parameter("x")])  # fmt: skip


@pytest.mark.parametrize(
    ("classes", "uses", "chosen", "others"),
    [
        # The stub's own name is meant, whatever else there is.
        (["MultiHeadAttention", "MultiHeadAttentionOld"], {}, "MultiHeadAttention", []),
        (["MultiheadSelfAttention", "MyAttention"], {}, "MultiheadSelfAttention", ["MyAttention"]),
        # What the chosen one is built from is its part, and a block is no attention.
        (["MultiheadSelfAttention", "AttentionCore"],
         {"MultiheadSelfAttention": {"AttentionCore"}}, "MultiheadSelfAttention", []),
        (["MultiheadSelfAttention", "FeedForward"], {}, "MultiheadSelfAttention", []),
    ],
)  # fmt: skip
def test_others_that_fit(classes, uses, chosen, others):
    """A class that looks like attention too is told of; parts and helpers are not."""
    choice = choose(find("mha"), [entry(name) for name in classes], None, uses)
    assert choice.chosen is not None
    assert choice.chosen.name == chosen
    assert [one.name for one in choice.candidates] == others


def test_report_carries_them():
    """They are in the JSON where there are any, and come back from it."""
    report = Report(kata="mha", file="a.py", verdict="pass", also=[Named(name="B", line=4)])
    assert report.to_dict()["also"] == [{"name": "B", "line": 4}]
    assert Report.from_dict(report.to_dict()).also == [Named(name="B", line=4)]
    assert "also" not in Report(kata="mha", file="a.py", verdict="pass").to_dict()
