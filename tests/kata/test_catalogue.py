"""The catalogue: what is asked, as the rest of the program reads it."""

from collections import Counter

import pytest
from attn_kata.kata.catalogue import LANGUAGES, UnknownKata, find, katas


def test_order():
    """The katas come in the order in which they are best done, the ladder by itself too."""
    orders = [kata.order for kata in katas()]
    assert orders == sorted(orders)
    ladder = [kata.id for kata in katas() if kata.group == "ladder"]
    assert ladder == ["v1", "v2", "v3", "v4", "mha", "causal", "cross"]


def test_prerequisites_come_first():
    """What a kata asks for stands before it."""
    done = set()
    for kata in katas():
        assert set(kata.prerequisites) <= done
        done.add(kata.id)


@pytest.mark.parametrize("name", ["mha", " MHA ", "Mha"])
def test_find(name):
    """A kata is found whatever the case and the blanks around its name."""
    assert find(name).id == "mha"


@pytest.mark.parametrize(
    ("name", "nearest"),
    [
        ("mah", "mha"),
        ("casual", "causal"),
        ("cros", "cross"),
        ("vl", "v1"),
        ("VI", "v1"),
        ("multihead", "mha"),
        ("multi-head", "mha"),
        ("multihed", "mha"),
        ("多头注意力", "mha"),
    ],
)
def test_unknown_kata(name, nearest):
    """A name that no kata has raises UnknownKata, with the name that was meant."""
    with pytest.raises(UnknownKata, match=name) as caught:
        find(name)
    assert caught.value.nearest[0] == nearest


def test_nothing_like_it():
    """Where no name is near, none is offered."""
    with pytest.raises(UnknownKata) as caught:
        find("perceiver")
    assert caught.value.nearest == ()


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts(language):
    """Every kata has a title, a summary, a brief, three hints and five questions or more."""
    for kata in katas():
        assert kata.title[language], kata.id
        assert kata.summary[language], kata.id
        assert all(name in kata.brief(language) for name in kata.names), kata.id
        assert len(kata.hints(language)) == 3, kata.id
        assert len(kata.questions(language)) >= 5, kata.id


@pytest.mark.parametrize(("language", "word"), [("en", "radient"), ("zh", "梯度")])
def test_briefs_say_that_gradients_are_compared(language, word):
    """Whoever is judged by gradients has been told so."""
    for kata in katas():
        compared = any(
            one.gradients and (one.module or any(a.floats and a.gradient for a in one.arguments))
            for one in kata.asked.functions
        )
        assert word in kata.brief(language) or not compared, kata.id


def test_questions_are_the_same_in_both_languages():
    """A question is one question: id, level, source and number of points hold in each language."""
    en, zh = (
        [
            (kata.id, q.id, q.level, q.source, len(q.points))
            for kata in katas()
            for q in kata.questions(language)
        ]
        for language in LANGUAGES
    )
    assert en == zh


def test_question_ids_are_unique():
    """An id names one question among all the katas."""
    counts = Counter(q.id for kata in katas() for q in kata.questions("en"))
    assert [name for name, count in counts.items() if count > 1] == []


def test_stub_and_solution_define_the_class():
    """What is handed out and what is right define the same class, or the same functions."""
    for kata in katas():
        for name in kata.names:
            plain = kata.asked.function(name).module is None
            wanted = f"\ndef {name}(" if plain else f"class {name}(nn.Module):"
            assert wanted in kata.stub(), kata.id
            assert wanted in kata.solution(), kata.id


def test_kinds():
    """A kata has what its kind has: a contract for its class, or what is asked of functions."""
    for kata in katas():
        if kata.promised is None:
            with pytest.raises(TypeError, match=kata.id):
                _ = kata.contract
