"""A sitting of questions at the terminal."""

import io

import pytest
from attn_kata.kata.catalogue import find
from attn_kata.practice import clock
from attn_kata.practice.bank import cards
from attn_kata.practice.history import Event
from attn_kata.terminal.questions import ask_all, list_lines
from attn_kata.terminal.screen import Screen
from attn_kata.terminal.text import cells, written


@pytest.fixture
def typed(monkeypatch):
    """Type lines into standard input."""

    def type_in(text):
        monkeypatch.setattr("sys.stdin", io.StringIO(text))

    return type_in


def asked(typed, text, language="en"):
    """Sit with gqa's questions; return what was rated."""
    typed(text)
    rated = []
    found = cards([], language, find("gqa"), seed=1)
    done = ask_all(Screen(language), found, lambda card, rating: rated.append((card.id, rating)))
    assert done == len(rated)
    return rated, found


def test_recall_reveal_rate(typed, capsys):
    """Enter reveals, a digit rates, q ends; nothing is revealed before Enter."""
    rated, found = asked(typed, "\n2\nq\n")
    assert rated == [(found[0].id, "hard")]
    before, _, after = capsys.readouterr().out.partition("a model answer\n")
    assert "as many as before" not in before
    assert "the products are as many as before" in after


def test_a_rating_that_is_none_is_asked_again(typed):
    """What is no rating is not taken for one."""
    rated, _ = asked(typed, "\nwhat\n9\n4\n")
    assert [rating for _, rating in rated] == ["easy"]


def test_numbers_are_judged(typed, capsys):
    """A number is right or wrong by the formula, which is shown with its numbers."""
    _, found = asked(typed, "")
    place = next(at for at, card in enumerate(found) if card.id == "number-cache-mha-gqa")
    right = found[place].asked.answer
    for said, rating in ((f"{right:g}", "good"), ("12345", "again")):
        rated, _ = asked(typed, "\n3\n" * place + f"{said}\n")
        assert rated[place] == ("number-cache-mha-gqa", rating)
    shown = capsys.readouterr().out
    assert "right: " in shown
    assert "no, it is " in shown
    assert "heads / kv_heads = " in shown


def test_the_list_fits(typed):
    """Every question is listed, within 80 columns, those with a day in two-column letters too."""
    told = [
        Event(kata=card.kata, kind="question", detail=f'{{"id": "{card.id}", "rating": "good"}}',
              time=clock.now())
        for card in cards([], "zh")
    ]  # fmt: skip
    found = cards(told, "zh", seed=1)
    lines = [written(line) for line in list_lines(found, Screen("zh"))]
    assert max(map(cells, lines)) <= 80
    assert sum(line.startswith(("  junior", "  senior")) for line in lines) == len(found)
