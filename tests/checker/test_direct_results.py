"""Results of functions: their dtypes, named where they are made; masks of one meaning."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from attn_kata.checker.client import Options
from attn_kata.checker.diagnose.flow import _same_numbers
from attn_kata.checker.diagnose.holding import holding
from attn_kata.checker.diagnose.origins import Origins
from attn_kata.checker.judge.case import Case
from attn_kata.checker.judge.drawing import draw
from attn_kata.checker.judge.given import Given
from attn_kata.checker.judge.source import read
from attn_kata.checker.process.answers import Step
from attn_kata.kata.catalogue import find
from attn_kata.kata.reading import BadContract, read_asked
from attn_kata.sentences.wording import sentence, worded

KATA = find("drill-mask")
ANSWER = KATA.solution()


@pytest.fixture
def judge(bench, tmp_path):
    """Judge the model answer with a text of it replaced."""

    def judged(before: str, after: str, language: str = "en", **options: Any):
        assert ANSWER.count(before) == 1
        path = tmp_path / "mine.py"
        path.write_text(ANSWER.replace(before, after))
        return worded(next(bench.judge(KATA.id, [path], Options(seed=3, **options))), language)

    return judged


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        ("return real", "return real.int()", "`mask` is int32, but booleans are asked for"),
        ("length, length, dtype=torch.bool)", "length, length)", "`mask` is float32"),
        (
            "scores.new_zeros(mask.shape)",
            "torch.zeros(mask.shape, device=mask.device)",
            "`scores` is float64",
        ),
    ],
)
def test_dtype(judge, before, after, words):
    """A result of another dtype fails, and the line is told that makes it so."""
    report = judge(before, after)
    assert report.verdict == "fail"
    (told,) = report.diagnosis
    assert told.mistake == "result-dtype"
    assert words in told.message
    assert after in told.yours


def test_dtype_beside_another_mistake(judge):
    """A wrong dtype and wrong numbers are both named."""
    report = judge("real = places < lengths[:, None]", "real = (places <= lengths[:, None]).int()")
    assert {one.mistake for one in report.diagnosis} == {"result-dtype", "length-off-by-one"}


def test_dtype_in_chinese(judge):
    """The same in Chinese."""
    report = judge(
        "scores.new_zeros(mask.shape)", "torch.zeros(mask.shape, device=mask.device)", language="zh"
    )
    assert report.diagnosis[0].message.startswith("`bias` 的 dtype 是 float32，而 `scores`")


def test_meta(judge):
    """A tensor without values on the way does not end the judging."""
    report = judge("    return real", '    torch.empty(2, 2, device="meta")\n    return real')
    assert report.verdict == "pass"


def asked(argument: dict[str, Any], result: dict[str, Any]) -> dict[str, Any]:
    """Write a contract of one function."""
    return {
        "sizes": {"B": [2, 1]},
        "axes": {"B": "batch"},
        "function": [
            {
                "name": "f",
                "argument": [{"name": "x", "shape": ["B"], **argument}],
                "result": [{"shape": ["B"], **result}],
            }
        ],
    }


def test_booleans():
    """Booleans are drawn both ways."""
    function = read_asked(asked({"is": "booleans"}, {})).functions[0]
    many = Case(check="values", sizes={"B": 200})
    drawn = draw(function, many, torch.Generator().manual_seed(1)).tensors["x"]
    assert drawn.dtype is torch.bool
    assert set(drawn.tolist()) == {True, False}


@pytest.mark.parametrize("name", ["x", "y"])
def test_dtype_of_what_has_none(name):
    """A result has its dtype from an argument that holds floats."""
    with pytest.raises(BadContract, match=f"`{name}` has no dtype"):
        read_asked(asked({"is": "booleans"}, {"dtype_of": name}))


def test_one_axis_is_not_said_to_be_strided():
    """Only what has two axes can lie otherwise."""
    case = Case(check="values", sizes={"T": 6}, lies="turned")
    labels = [
        sentence(case.label(KATA.asked.function(name), KATA.asked.sizes), "en")
        for name in ("causal_mask", "key_mask")
    ]
    assert ["contiguous" in label for label in labels] == [False, True]


def test_fill_beside_a_compared_mask(tmp_path):
    """The 0 that a mask is compared with is no fill."""
    text = "low = -10.0\nhidden = torch.eq(mask, 0)\nscores = s.masked_fill(hidden, low)\n"
    path = tmp_path / "mine.py"
    path.write_text(text)
    assert Origins(read(path), "").fill([3]) == 1


def _step(line: int, **held: Any) -> Step:
    return Step(call="", line=line, lines=[line], numbers=[], shapes=[], shape=None, weights=[],
                dtype=None, **held)  # fmt: skip


def test_whole_numbers():
    """They are found as they lie, not in another order, and are no mask that is added."""
    places = torch.tensor([[2, 1, 0], [1, 3, 2]])
    steps = [_step(1, marks=[places.flip(-1)]), _step(2, marks=[places])]
    found = holding(places, steps, Given(tensors={}, plain={}))
    assert found is not None
    assert found.line == 2
    assert holding(places > -1, steps, Given(tensors={}, plain={})) is None


def test_truths_beside_numbers():
    """What a step holds may be of another kind than what it is compared with."""
    assert _same_numbers(torch.tensor([True, False]), torch.tensor([0.0, 1.0]))
    assert not _same_numbers(torch.tensor([True, False]), torch.tensor([0.0, 2.0]))


def test_mask_that_hides_nothing():
    """It is found where it was joined, not where the ones that it is made of were."""
    ones = torch.ones(3, 3, dtype=torch.int64)
    steps = [_step(n, marks=[m]) for n, m in enumerate((ones, ones.triu(1), ones * 0))]
    found = holding(torch.ones(3, 3, dtype=torch.bool), steps, Given(tensors={}, plain={}))
    assert found is not None
    assert found.line == 2
    found = holding(torch.ones(3, 3, dtype=torch.bool).tril(), steps, Given(tensors={}, plain={}))
    assert found is not None
    assert found.line == 1


ALIBI = find("alibi").solution()


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (
            "key_length).to(scores)",
            "key_length).to(scores.device)",
            "two dtypes meet, so bfloat16 fails",
        ),
        (
            "key_length).to(scores)",
            "key_length).to(scores.device, torch.float32)",
            "a dtype is hard-coded, so bfloat16 fails",
        ),
    ],
)
def test_dtypes_that_meet(bench, tmp_path, before, after, words):
    """A dtype is said to be hard-coded where one is written, and two to meet where none is."""
    assert ALIBI.count(before) == 1
    path = tmp_path / "mine.py"
    path.write_text(ALIBI.replace(before, after))
    report = worded(next(bench.judge("alibi", [path], Options(seed=3))), "en")
    (told,) = (one for one in report.diagnosis if one.mistake == "dtype-hardcoded")
    assert str(told.message).startswith(words)
