"""The bank of questions: every question within reach, on a schedule, numbers drawn anew."""

import json
import math
from itertools import product

import pytest
from attn_kata.kata.catalogue import find, katas
from attn_kata.kata.numbers import numbers, worth
from attn_kata.practice import bank, clock
from attn_kata.practice.errors import Refusal
from attn_kata.practice.history import Event
from attn_kata.practice.sittings import sittings

NOW = 1_800_000_000.0


@pytest.fixture(autouse=True)
def a_day(monkeypatch):
    """The day on which all this happens."""
    monkeypatch.setattr(clock, "now", lambda: NOW)


def rated(name, rating, days):
    """A question rated so many days ago."""
    detail = json.dumps({"id": name, "rating": rating})
    return Event(kata="gqa", kind="question", detail=detail, time=NOW - days * clock.DAY)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_question_is_within_reach(language):
    """All that the katas ask and all numbers are in the bank, once."""
    names = [card.id for card in bank.cards([], language)]
    wanted = [one.id for kata in katas() for one in kata.questions(language)]
    assert sorted(names) == sorted([*wanted, *(one.id for one in numbers())])
    assert len(names) == len(set(names))


def test_there_are_numbers_enough():
    """At least forty questions ask for a number, each of a kata and a topic that exist."""
    assert len(numbers()) >= 40
    assert {one.kata for one in numbers()} <= {kata.id for kata in katas()}
    assert {one.level for one in numbers()} == set(bank.LEVELS)


def test_every_draw_has_an_answer():
    """Whatever is drawn, the formula gives a number above 0, and both languages name the draw."""
    for number in numbers():
        for chosen in product(*number.draw.values()):
            answer = worth(number.formula, dict(zip(number.draw, chosen, strict=True)))
            assert math.isfinite(answer), number.id
            assert answer > 0, number.id
        for language in ("en", "zh"):
            asked = number.drawn(3).ask(language)
            assert "{" not in asked, number.id
            for name in number.draw:
                assert "{" + name + "}" in number.ask[language], number.id


def test_numbers_are_drawn_anew():
    """Another seed asks with other numbers, the same seed with the same."""
    number = next(one for one in numbers() if one.id == "number-cache-sequence")
    draws = {tuple(number.drawn(seed).values.items()) for seed in range(9)}
    assert len(draws) > 3
    assert number.drawn(4) == number.drawn(4)


def test_a_known_answer():
    """Llama 3 8B: 32 layers, 8 kv heads of 128, 8192 tokens, 1 GiB."""
    number = next(one for one in numbers() if one.id == "number-cache-sequence")
    sizes = {"layers": 32, "kv_heads": 8, "head_dim": 128, "tokens": 8192}
    assert worth(number.formula, sizes) == 1


@pytest.mark.parametrize(
    ("said", "fits"),
    [
        ("128", True),
        ("130", True),
        ("128 KiB", True),
        ("128KiB", False),
        ("256/2", True),
        ("1/0", False),
        ("140", False),
        ("", False),
    ],
)
def test_an_answer_from_the_head(said, fits):
    """Five per cent are allowed, and a unit after a space."""
    number = next(one for one in numbers() if one.id == "number-cache-token")
    drawn = next(one for one in map(number.drawn, range(999)) if one.answer == 128)
    assert drawn.fits(said) is fits


def test_what_is_counted_is_exact():
    """Blocks are rounded up, and the whole number beside the answer is not the answer."""
    number = next(one for one in numbers() if one.id == "number-page-count")
    drawn = next(one for one in map(number.drawn, range(999)) if one.answer == 63)
    assert drawn.fits("63")
    assert not drawn.fits("62")
    assert not drawn.fits("62.5")


def test_a_formula_names_what_is_drawn():
    """A name that nobody draws is refused, not looked up."""
    with pytest.raises(ValueError, match="names heads"):
        worth("2 * heads", {"layers": 2.0})


def test_what_is_due_comes_first():
    """What was forgotten comes back, before what is new; what sits well waits."""
    story = [rated("gqa-what-is-saved", "easy", 1), rated("gqa-choose-number", "again", 3)]
    found = bank.cards(story, "en", find("gqa"))
    asked = [card.id for card in bank.sitting(found, 99)]
    assert asked[0] == "gqa-choose-number"
    assert "gqa-what-is-saved" not in asked
    assert "gqa-what-is-saved" in [card.id for card in bank.sitting(found, 99, every=True)]
    assert bank.count_due(story) == 1


def test_by_level_and_topic():
    """The bank is asked by level and by topic, and says what topics there are."""
    assert {card.level for card in bank.cards([], "en", level="senior")} == {"senior"}
    assert {card.topic for card in bank.cards([], "en", topic="roofline")} == {"roofline"}
    with pytest.raises(Refusal) as refused:
        bank.cards([], "en", topic="weather")
    assert "roofline" in str(refused.value.values["topics"])


def test_a_question_is_no_sitting():
    """Answering a question is not writing a kata."""
    assert sittings([rated("gqa-what-is-saved", "good", 1)]) == []


def test_a_broken_detail_is_left_out():
    """A record that cannot be read costs nothing else."""
    story = [Event(kata="gqa", kind="question", detail="{", time=NOW)]
    assert bank.stands(story) == {}
