"""Hints follow what the last check found, and count anew for each step."""

import pytest
from attn_kata.kata.catalogue import find
from attn_kata.practice.hints import found_last, hints_on
from attn_kata.practice.history import Attempt, Event
from attn_kata.practice.record import Recorder
from attn_kata.practice.workspace import Workspace

MHA = find("mha")


def attempt(*mistakes, verdict="fail", kata="mha", asked_by="check"):
    """A check that named these mistakes."""
    return Attempt(
        kata=kata, file="mine.py", verdict=verdict, mistakes=mistakes, elapsed_ms=1, seed=0,
        source_hash=None, asked_by=asked_by,
    )  # fmt: skip


@pytest.mark.parametrize("language", ["en", "zh"])
def test_without_a_mistake_they_are_the_katas_own(language):
    """Nothing checked, or nothing that has a step: the hints lead to the whole."""
    own = MHA.hints(language)
    assert (hints_on(MHA, language, ()).texts, hints_on(MHA, language, ()).step) == (own, "")
    assert hints_on(MHA, language, ["none-such"]).texts == own


@pytest.mark.parametrize(
    ("mistake", "word"),
    [("scale-by-hidden-dim", "variance"), ("mask-inverted", "infinity"),
     ("heads-interleaved", "head_dim"), ("softmax-wrong-axis", "largest")],
)  # fmt: skip
def test_the_third_is_about_the_failed_step(mistake, word):
    """It says what the step has to do, and not the lines that the kata's own third hint has."""
    hints = hints_on(MHA, "en", ["none-such", mistake])
    assert len(hints.texts) == 3
    assert word in hints.texts[2]
    assert hints.texts[2] != MHA.hints("en")[2]
    assert hints.texts[1] == MHA.hints("en")[1]


def test_the_last_check_decides():
    """A pass, a new stub, another kata and somebody else's file tell nothing of one's own."""
    wrong, other = attempt("scale-missing"), attempt("mask-added")
    assert found_last(MHA, [wrong, other]) == ("mask-added",)
    assert found_last(MHA, [wrong, attempt(verdict="pass")]) == ()
    assert found_last(MHA, [wrong, Event(kata="mha", kind="start")]) == ()
    assert found_last(MHA, [wrong, Event(kata="mha", kind="hint", detail="1")]) == wrong.mistakes
    others = [attempt("mask-added", kata="v1"), attempt("mask-added", asked_by="batch")]
    assert found_last(MHA, [wrong, *others, attempt("roles", asked_by="debug")]) == wrong.mistakes


def test_each_step_has_its_own_count():
    """Another mistake begins at its first hint, and the first one goes on where it was."""
    recorder = Recorder(Workspace())
    recorder.hinted("mha", 2, "scale")
    seen = Workspace().hints_seen
    assert (seen("mha", "scale"), seen("mha", "mask"), seen("mha")) == (2, 0, 0)
