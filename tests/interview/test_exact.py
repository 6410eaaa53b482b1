"""Answers to questions with one right answer, as people type them."""

import pytest
from attn_kata.practice.interview.exact import is_right, understood
from attn_kata.practice.interview.questions import Asked


@pytest.mark.parametrize(
    ("said", "value"),
    [
        ("2", 2), ("2x", 2), ("2 倍", 2), ("twice", 2), ("it doubles", 2), ("两倍", 2), ("翻倍", 2),
        ("half", 0.5), ("一半", 0.5), ("四倍", 4), ("four times", 4), ("4 * 512^2", 1048576),
        ("1,048,576", 1048576), ("1M", 1e6), ("128 MiB", 134217728),
    ],
)  # fmt: skip
def test_a_number_is_understood_as_it_is_said(said, value):
    """In digits, as a sum, with a unit, or in a word."""
    asked = Asked(id="x", ask="", answer="", kind="number", expected=(float(value),))
    assert is_right(asked, said, 1)


@pytest.mark.parametrize("said", ["a lot", "it depends", "更多", "d squared"])
def test_what_is_no_number_is_none(said):
    """It is asked for again."""
    asked = Asked(id="x", ask="", answer="", kind="number", expected=(2.0,))
    assert not understood(asked, said)
