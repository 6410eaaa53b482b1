"""One policy for the dtypes of masks, in every kata that has one."""

from __future__ import annotations

import re

import pytest
from attn_kata.checker.client import Options
from attn_kata.kata.catalogue import katas

ASKED = [kata for kata in katas() if any(one.mask is not None for one in kata.asked.functions)]
# The mask as the model answer fills with it; cross-attention has given it an axis of heads.
HIDDEN = re.compile(r"masked_fill\((mask|attention_mask|every_head) == 0,")
MASKED = [kata for kata in ASKED if HIDDEN.search(kata.solution())]


def rewritten(kata, hidden: str) -> str:
    """The model answer with what the mask hides written otherwise, of a mask called `{}`."""
    source, count = HIDDEN.subn(
        lambda found: f"masked_fill({hidden.format(found[1])},", kata.solution()
    )
    assert count == 1
    return source


@pytest.mark.each_kata(6)
@pytest.mark.parametrize("kata", MASKED, ids=lambda kata: kata.id)
def test_a_bool_mask_has_to_work(judged, kata):
    """What raises for a mask of booleans fails, and its line is told."""
    source = rewritten(kata, "(1 - {}).bool()")
    report = judged(kata.id, source)
    assert report.verdict == "fail"
    assert [check.id for check in report.checks if check.status == "fail"] == ["mask"]
    (told,) = report.diagnosis
    assert told.mistake == "mask-dtype"
    assert "(1 - " in told.yours
    assert "mask-form" not in {remark.id for remark in report.remarks}


@pytest.mark.each_kata(6)
@pytest.mark.parametrize("kata", MASKED, ids=lambda kata: kata.id)
def test_a_mask_of_numbers_may_be_refused(judged, kata):
    """What takes booleans alone is right, with a remark."""
    report = judged(kata.id, rewritten(kata, "~{}"))
    assert (report.verdict, report.diagnosis) == ("pass", [])
    assert "mask-form" in {remark.id for remark in report.remarks}


@pytest.mark.each_kata(6)
@pytest.mark.parametrize("kata", MASKED, ids=lambda kata: kata.id)
def test_a_mask_of_numbers_is_not_misread(judged, kata):
    """What takes a mask of numbers, and otherwise than one of booleans, fails."""
    other = "~{0} if {0}.dtype is torch.bool else {0} != 0"
    report = judged(kata.id, rewritten(kata, other), diagnose=False)
    assert report.verdict == "fail"


@pytest.mark.each_kata(6)
@pytest.mark.parametrize("kata", MASKED, ids=lambda kata: kata.id)
def test_where_a_dtype_was_agreed_on_another_may_raise(bench, tmp_path, kata):
    """An interview may have said that masks hold whole numbers: booleans may raise then."""
    path = tmp_path / "mine.py"
    path.write_text(rewritten(kata, "(1 - {}).bool()"))
    report = next(bench.judge(kata.id, [path], Options(seed=3, any_mask=True)))
    assert report.verdict == "pass"
    assert "mask-form" in {remark.id for remark in report.remarks}


def test_a_mask_that_a_class_always_takes(judged):
    """Where a class is never called without, what raises for a bool mask raises at once."""
    (kata,) = (kata for kata in ASKED if kata not in MASKED)
    report = judged(kata.id, kata.solution().replace("mask != 0", "(1 - mask) == 0"))
    assert report.verdict == "error"
    assert "bool" in report.error.message


@pytest.mark.parametrize("kata", ASKED, ids=lambda kata: kata.id)
def test_the_brief_says_so(kata):
    """What is judged stands in the brief, in both languages."""
    assert "A bool mask has to work" in (kata.folder / "brief.en.md").read_text("utf-8")
    assert "bool 的 mask 必须能用" in (kata.folder / "brief.zh.md").read_text("utf-8")


# The scores, and the mask that hides some of them: what is added to them is worked out instead.
FILLED = re.compile(r'(\w+)\.masked_fill\((\w+) == 0, float\("-inf"\)\)')
ADDED = r"\1 + torch.where(\2 == 0, torch.finfo(\1.dtype).min / 2, 0.0).to(\1.dtype)"


# A row with nothing to attend to is 0 in one kata, which a finite fill does not give.
FINITE = [k for k in MASKED if FILLED.search(k.solution()) and k.id != "drill-softmax"]


@pytest.mark.each_kata(6)
@pytest.mark.parametrize("kata", FINITE, ids=lambda kata: kata.id)
def test_a_fill_that_float64_alone_refuses(judged, kata):
    """`torch.where` of two numbers is float32, which the lowest of float64 does not fit into."""
    report = judged(kata.id, FILLED.sub(ADDED, kata.solution()))
    assert report.verdict == "pass", report.checks
