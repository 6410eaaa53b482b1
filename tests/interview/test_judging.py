"""A submission is held against what this interview asks for, and nothing is pretended."""

import re
from pathlib import Path

import pytest
from attn_kata.checker.report.report import Check, Diagnosis, Remark
from attn_kata.kata.catalogue import find
from attn_kata.practice.interview.judging import Examiner, default_rate, weigh
from attn_kata.practice.interview.requirements import value
from attn_kata.practice.interview.voices import group_of

RIGHT = Path(__file__).parent.parent / "corpus" / "right"
DRAWN = {
    "meaning": "keep", "entries": "bool", "output": "unwanted", "dropout": "0.1",
    "precision": "any",
}  # fmt: skip
ANSWER = """
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, width, dropout=0.1):
        super().__init__()
        self.q, self.k, self.v = (nn.Linear(width, width) for _ in range(3))
        self.dropout = nn.Dropout(dropout)

    def forward(self, x, mask=None):
        scores = self.q(x) @ self.k(x).mT / x.shape[-1] ** 0.5
        if mask is not None:
            {masked}
        return self.dropout(scores.softmax(-1)) @ self.v(x)
"""
KEEP = "scores = scores.masked_fill(mask == 0, torch.finfo(scores.dtype).min)"
DROP = "scores = scores.masked_fill(mask.bool(), torch.finfo(scores.dtype).min)"
ADDED = "scores = scores + mask"
BOOL = "scores = scores.masked_fill(~mask, torch.finfo(scores.dtype).min)"


@pytest.mark.parametrize(
    ("source", "rate"),
    [
        ("class A:\n def __init__(self, d, dropout=0.2): ...", 0.2),
        ("class A:\n def __init__(self, d, *, attn_dropout: float = 0.3): ...", 0.3),
        ("P = 0.25\nclass A:\n def __init__(self, d, p=P): ...", 0.25),
        ("class A:\n def __init__(self):\n  self.dropout = nn.Dropout(0.4)", 0.4),
        ("class A:\n def __init__(self):\n  self.dropout = nn.Dropout(p=0.4)", 0.4),
        ("class A:\n def __init__(self):\n  self.dropout = nn.Dropout()", 0.5),
        ("class A:\n def forward(self, x):\n  return F.dropout(x, 0.2)", 0.2),
        ("class A:\n def forward(self, x):\n  return self.dropout(x)", None),
        ("class A:\n def __init__(self, config):\n  self.d = nn.Dropout(config.p)", None),
        ("class B:\n def __init__(self, dropout=0.9): ...\nclass A: ...", None),
        ("no python(", None),
    ],
)
def test_default_rate(source, rate):
    """The rate is read where it stands as a number; elsewhere nobody guesses."""
    assert default_rate(source, "A") == rate


@pytest.fixture(scope="module")
def examiner():
    """The real judge, loaded once."""
    with Examiner() as found:
        yield found


@pytest.mark.parametrize(
    ("masked", "drawn", "missed"),
    [
        (KEEP, {}, ()),
        (KEEP, {"entries": "int"}, ()),
        (BOOL, {}, ()),
        (BOOL, {"entries": "int"}, ("entries",)),
        (KEEP, {"output": "wanted"}, ("output",)),
        (KEEP, {"dropout": "0.3"}, ("dropout",)),
        (DROP, {"meaning": "drop"}, ()),
        (ADDED, {"meaning": "additive", "entries": "float"}, ()),
        (KEEP, {"meaning": "drop"}, None),
        (DROP, {}, None),
    ],
)
def test_real_code_is_held_against_what_was_drawn(examiner, masked, drawn, missed):
    """Right code for another interview is not right for this one; None fails before that."""
    wanted = {**DRAWN, **drawn}
    kata = find("v4")
    source = ANSWER.format(masked=masked)
    report = examiner.judge(kata, "/nowhere/mine.py", source, wanted)
    outcome = weigh(report, source, kata, wanted)
    assert report.file == "/nowhere/mine.py"
    assert outcome.accepted == (missed == ())
    assert outcome.missed == (missed or ())
    assert outcome.group == ("" if missed == () else "agreed" if missed else "mask")


def test_float32_on_the_cpu_forgives_what_only_others_need(script):
    """Where float32 was agreed on, failing in half precision alone is no failure."""
    report = script.report("# right")
    report.verdict = "fail"
    report.checks = [Check(id="values", status="pass"), Check(id="dtypes", status="fail")]
    kata = find("v1")
    lenient, strict = ({**DRAWN, "precision": one} for one in ("float32", "any"))
    assert weigh(report, "", kata, lenient).forgiven == ("dtypes",)
    assert weigh(report, "", kata, lenient).accepted
    assert not weigh(report, "", kata, strict).accepted
    report.checks.append(Check(id="gradients", status="fail"))
    assert not weigh(report, "", kata, lenient).accepted


def test_what_nobody_can_tell_is_said_and_not_held_against_anyone(script):
    """A rate that comes from a config object is unsure: neither met nor missed."""
    report = script.report("# right", "v4")
    outcome = weigh(report, "class Attention: ...", find("v4"), DRAWN)
    assert outcome.accepted
    assert outcome.unsure == ("dropout",)


def test_dropout_that_never_acts_is_not_what_was_agreed(script):
    """In a kata that leaves dropout open, the interview does not."""
    report = script.report("# right", "mha")
    report.remarks = [Remark(id="dropout-not-applied", message="")]
    assert weigh(report, "", find("mha"), DRAWN).missed == ("dropout",)


def test_groups(script):
    """The sentence is about the first mistake, else about what fails."""
    report = script.report("# wrong")
    assert group_of(report) == "scale"
    report.diagnosis = [Diagnosis(mistake="forbidden-call", message="")]
    assert group_of(report) == "rules"
    report.diagnosis = []
    assert group_of(report) == "unknown"
    report.checks = [Check(id="shape", status="fail")]
    assert group_of(report) == "shape"
    assert group_of(script.report("# crash")) == "crash"
    assert group_of(report, agreed=True) == "agreed"


@pytest.mark.costly
def test_a_judge_that_died_is_replaced(examiner):
    """After a crash the next submission finds a new judge."""
    kata = find("v1")
    source = "import os\nos._exit(3)\n"
    report = examiner.judge(kata, "mine.py", source, DRAWN)
    assert report.verdict == "error"
    right = (RIGHT / "v1_plain_stub.py").read_text("utf-8")
    assert examiner.judge(kata, "mine.py", right, DRAWN).verdict == "pass"


def agreed(kata, drawn):
    """The model answer, rewritten as an interview with these requirements wants it."""
    source = kata.solution().replace("dropout: float = 0.1", f"dropout: float = {drawn['dropout']}")
    if drawn["meaning"] == "drop":
        source = source.replace(" == 0, lowest", " != 0, lowest")
    if drawn["meaning"] == "additive":
        source = re.sub(r"scores\.masked_fill\((\w+) == 0, lowest\)", r"scores + \1", source)
    if value("output", kata, drawn) == "unwanted":
        source = re.sub(r"\n *self\.output_proj = .*", "", source)
        source = re.sub(r"self\.output_proj\((\w+)\)", r"\1", source)
    return source


@pytest.mark.parametrize("name", ["v4", "mha", "cross", "causal"])
@pytest.mark.parametrize("meaning", ["keep", "drop", "additive"])
def test_the_model_answer_passes_every_interview(examiner, name, meaning):
    """Whatever is drawn: code that is right and as agreed is accepted, with nothing unsure."""
    kata = find(name)
    entries = "float" if meaning == "additive" else "int"
    drawn = {**DRAWN, "meaning": meaning, "entries": entries, "dropout": "0.2"}
    source = agreed(kata, drawn)
    report = examiner.judge(kata, "mine.py", source, drawn)
    outcome = weigh(report, source, kata, drawn)
    assert outcome.accepted, outcome
    assert outcome.unsure == ()
