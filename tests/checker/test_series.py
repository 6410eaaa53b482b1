"""Calls one after another: what one of them raises is shown, and none starts from nothing."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from attn_kata.checker.judge.trials import until_ended
from attn_kata.checker.process.answers import Outcome
from attn_kata.kata.catalogue import find

_START = "if cache is not None:\n"
_SQUARE = "square = scores.new_ones(length, key_length)\n        "
_SEEN = "seen = square.tril(diagonal=key_length - length)"
_RAISES = {
    "square": (_SQUARE + _SEEN, "seen = scores.new_ones(length, length).tril()"),
    "full": (_START, _START + "            assert length == 1, 'one token at a time'\n"),
}


@pytest.mark.costly
@pytest.mark.parametrize("kata", ["kvcache", "gqa-rope", "mla"])
@pytest.mark.parametrize("fault", _RAISES)
def test_what_a_later_call_raises_is_shown(judged, kata, fault):
    """A call on a cache that raises is the headline; calls after it would only show numbers."""
    source = find(kata).solution()
    assert source.count(_RAISES[fault][0]) == 1
    report = judged(kata, source.replace(*_RAISES[fault]))
    values = next(check for check in report.checks if check.id == "values")
    assert "Error at line" in values.detail
    assert report.crash is not None
    assert report.departure is None
    named = [one.mistake for one in report.diagnosis]
    assert named == (["causal-from-start"] if fault == "square" else [])


def test_a_series_ends_with_what_hands_nothing_on() -> None:
    """Calls of one series end where one raised; other series and calls alone go on."""
    trials: list[Any] = [SimpleNamespace(group=group) for group in (0, 0, 1, 1, 1, 2, 2)]
    good, bad = Outcome(carried="tuple"), Outcome()
    answers = [bad, good, good, bad, good, good, good]
    left = [trial for trial, _ in until_ended(trials, answers)]
    assert left == [*trials[:4], *trials[5:]]
