"""What the brief leaves open: drawn, asked for in one's own words, and never unfair."""

import pytest
from attn_kata.kata.catalogue import find, katas
from attn_kata.practice.interview.requirements import (
    DRAWN,
    JUDGES_OUTPUT,
    draw,
    matters,
    topics_in,
    value,
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("is there a mask?", {"mask"}),
        ("What does 1 mean in the mask?", {"mask", "meaning"}),
        ("is True masked or kept?", {"mask", "meaning"}),
        ("are the masks bool or int?", {"mask", "entries"}),
        ("which dtype and device?", {"precision"}),
        ("single head or multi-head?", {"heads"}),
        ("do you want an output projection?", {"output"}),
        ("should there be dropout, and which rate?", {"dropout"}),
        ("may I use einsum?", {"library"}),
        ("mask 里的 1 是什么意思？", {"mask", "meaning"}),
        ("要输出投影吗？", {"output"}),
        ("单头还是多头", {"heads"}),
        ("I would work into the night", set()),
        ("how are you?", set()),
    ],
)
def test_questions_are_understood(text, found):
    """A candidate's own words, in either language, find their topics."""
    assert {topic.id for topic in topics_in(text, frozenset())} == found


def test_what_has_come_up_need_not_be_named_again():
    """After a question about the mask, `what does 1 mean` is about the mask."""
    assert topics_in("what does 1 mean?", frozenset()) == []
    assert [one.id for one in topics_in("what does 1 mean?", frozenset({"mask"}))] == ["meaning"]


def test_draws_are_repeated_by_their_seed():
    """The same seed asks for the same; others differ; only a senior gets additive masks."""
    assert draw(5, "junior") == draw(5, "junior")
    junior, senior = ([draw(seed, level) for seed in range(60)] for level in ("junior", "senior"))
    assert {one["meaning"] for one in junior} == {"keep", "drop"}
    assert {one["meaning"] for one in senior} == {"keep", "drop", "additive"}
    assert {one["output"] for one in junior} == {"wanted", "unwanted"}
    assert all(set(one) == set(DRAWN) for one in junior)


def test_nothing_is_asked_for_that_the_judge_would_refuse():
    """Where the judge insists on an output projection, the interview does not do without."""
    drawn = {**draw(1, "junior"), "output": "unwanted"}
    for kata in katas():
        said = value("output", kata, drawn)
        if kata.promised and kata.promised.output == "required" and not JUDGES_OUTPUT:
            assert said == "wanted"
    assert value("output", find("v4"), drawn) == "unwanted"
    assert value("output", find("v2"), drawn) == "free"


def test_only_what_was_drawn_matters():
    """A topic counts where this interview says something about it, and nowhere else."""
    drawn = draw(1, "junior")
    assert not matters("meaning", find("v1"), drawn)
    assert matters("meaning", find("v4"), drawn)
    assert not matters("heads", find("mha"), drawn)
    additive = {**drawn, "meaning": "additive", "entries": "float"}
    assert not matters("entries", find("v4"), additive)
