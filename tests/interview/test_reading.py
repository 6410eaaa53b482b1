"""Free answers are read with caution: right ones are heard, reversed ones and others are not."""

from pathlib import Path

import pytest
from attn_kata.dev.reading import answers_in, made_in
from attn_kata.kata.catalogue import find
from attn_kata.practice.interview.exact import given_up
from attn_kata.practice.interview.questions import free_names, question_called
from attn_kata.practice.interview.reading import wording
from attn_kata.practice.interview.reading.concepts import clauses_of, says_nothing
from attn_kata.practice.interview.reading.neighbours import neighbours, said
from attn_kata.practice.interview.reading.phrasings import phrasings
from attn_kata.practice.interview.reading.points import heard

ANSWERS = Path(__file__).parent / "answers"


def test_every_point_has_phrasings():
    """Each point of each question, the open ones too, is said in several ways and backwards."""
    for name in free_names():
        written = phrasings(name)
        assert len(written) == len(question_called(name, "en").points), name
        assert all(len(one.right) >= 6 and len(one.wrong) >= 4 for one in written), name


def test_without_phrasings_the_points_and_the_trap_stand_in():
    """A pack's question that nobody wrote phrasings for is heard all the same."""
    asked = [question_called("mha:mha-which-d", language) for language in ("en", "zh")]
    told = neighbours(asked, (), lambda _: 1.0)
    right, wrong = (
        told.told([said(clauses_of(text))])[0] for text in (asked[0].points[0], asked[0].trap)
    )
    assert right.near == pytest.approx(1.0)
    assert right.here > wrong.here


def test_without_phrasings_words_are_held_against_the_points_and_the_trap(monkeypatch):
    """Nothing is known then of which words are rare."""
    for cached in (wording._near, wording._counted):
        cached.cache_clear()
    monkeypatch.setattr(wording, "phrasings", lambda _: ())
    monkeypatch.setattr(wording, "of_bank", lambda _: {})
    asked = question_called("mha:mha-which-d", "en")
    assert wording.nearer("mha:mha-which-d", asked.points[0])[0][0] > 0
    assert wording.nearer("mha:mha-which-d", asked.trap)[0][0] < 0
    wording._near.cache_clear()
    wording._counted.cache_clear()


def answers(language):
    """Each answer with its question's name and kind: + good, - reversed, ~ beside the point."""
    return answers_in(ANSWERS / f"{language}.txt")


@pytest.mark.parametrize("language", ["en", "zh"])
def test_right_answers_are_heard_and_reversed_ones_are_not(language):
    """Most points of good answers, few of reversed ones, next to none of beside the point."""
    made = {kind: [] for kind in "+-~"}
    for name, kind, text in answers(language):
        made[kind] += heard(name, text)
    shares = {kind: sum(found) / len(found) for kind, found in made.items()}
    assert shares["+"] >= 0.85
    assert shares["-"] <= 0.3
    assert shares["~"] <= 0.12


@pytest.mark.parametrize(
    "written", ["en-apart", "en-apart-2", "en-apart-3", "zh-apart", "zh-apart-2"]
)
def test_answers_written_apart(written):
    """Of sets in other hands, tuned on since, most good points are heard, few reversed ones."""
    made = {kind: [] for kind in "+-~"}
    for name, kind, text in answers(written):
        made[kind] += heard(name, text)
    shares = {kind: sum(found) / max(1, len(found)) for kind, found in made.items()}
    assert shares["+"] >= 0.75
    assert shares["-"] <= 0.35
    assert shares["~"] <= 0.1


@pytest.mark.parametrize("language", ["en", "zh"])
def test_what_a_right_answer_leaves_out_is_not_heard(language):
    """An answer that makes some points is not credited with the rest for being right."""
    told = {True: list[bool](), False: list[bool]()}
    for name, kind, text in answers(f"{language}-partly"):
        found = heard(name, text)
        for one, made in zip(found, made_in(kind, len(found)), strict=True):
            told[made].append(one)
    shares = {made: sum(found) / len(found) for made, found in told.items()}
    assert shares[True] >= 0.75
    assert shares[False] <= 0.15


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kata", ["mha", "v4", "sdpa"])
def test_model_answers_are_heard_and_the_questions_are_not(kata, language):
    """A model answer makes its own points; a trap, the question, another's answer next to none."""
    bank = find(kata).questions(language)
    own, others = [], []
    for at, one in enumerate(bank):
        own += heard(f"{kata}:{one.id}", one.answer)
        others += heard(f"{kata}:{one.id}", bank[at - 1].answer)
        assert not any(heard(f"{kata}:{one.id}", one.ask))
    assert sum(own) >= 0.9 * len(own)
    assert sum(others) <= 0.3 * len(others)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "   ",
        "I don't know.",
        "不知道",
        "asdf qwer zxcv",
        "head_dim √hidden_dim √num_heads flatter weights error split query size d",
        "权重 平 报错 拆头 head_dim hidden_dim 缩放",
        "In the multi-head version, by which d do you scale, and what goes wrong?",
    ],
)
def test_what_says_nothing_makes_no_point(text):
    """Nothing, not knowing, gibberish, keywords in a row, the question said back."""
    assert not any(heard("mha:mha-which-d", text))


@pytest.mark.parametrize(
    "text",
    [
        "I don't know",
        "dont know",
        "No idea.",
        "not sure, sorry",
        "idk",
        "?",
        "？",
        "不知道",
        "不会",
        "不会做",
        "这题我真不会",
        "算不出来",
        "没思路",
        "忘了",
        "haven't a clue",
    ],
)
def test_who_gives_up_has_no_answer(text):
    """In either language, also where a number is wanted."""
    assert says_nothing(text)
    assert given_up(text)


@pytest.mark.parametrize(
    "text",
    [
        "不会报错，形状还是对的",
        "忘了除以 √d",
        "模型不知道位置",
        "没有 K 就算不出来",
        "The model has no idea of position",
        "I forgot to divide by the root",
        "it is 512",
    ],
)
def test_what_something_else_does_not_know_is_an_answer(text):
    """Only who speaks of oneself gives up."""
    assert not says_nothing(text)


@pytest.mark.parametrize("text", ["not sure, 512", "I don't know, maybe b"])
def test_a_guess_is_asked_for_again(text):
    """Nobody loses a point for a doubt."""
    assert not given_up(text)


@pytest.mark.parametrize(
    ("text", "points"),
    [
        ("The parameters stay the same.", [True, False, False, False]),
        ("参数量不变。", [True, False, False, False]),
        ("The parameters double and so do the operations.", [False] * 4),
        ("参数量翻倍。", [False] * 4),
    ],
)
def test_what_a_formula_says_may_be_said_in_words(text, points):
    """Nobody has to recite 4·D², and a short answer in the question's words is no copy of it."""
    assert list(heard("mha:mha-cost-of-heads", text)) == points


def test_a_point_that_was_not_spoken_of_is_not_made():
    """What was said of swaps and views is heard; that .mT exists was not said."""
    said = (
        "transpose swaps two axes, permute gives a whole new order. They return views, no copies."
    )
    made = heard("mha:mha-transpose-permute", said)
    assert made[0]
    assert not made[3]
