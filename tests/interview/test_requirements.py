"""What the brief leaves open: drawn, and never unfair."""

from attn_kata.kata.catalogue import find, katas
from attn_kata.practice.interview.requirements import (
    DRAWN,
    JUDGES_OUTPUT,
    draw,
    matters,
    value,
)


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


def test_lengths_end_where_the_constructor_says():
    """Where a greatest length is given, no answer says that any length comes."""
    drawn = draw(1, "junior")
    assert value("lengths", find("causal"), drawn) == "block"
    assert value("names", find("causal"), drawn) == "block"
    assert value("lengths", find("mha"), drawn) == "free"


def test_what_is_kept_between_calls_follows_from_the_kata():
    """A kata with a cache tells of it in its brief; in the others nothing is kept."""
    drawn = draw(1, "junior")
    assert value("cache", find("kvcache"), drawn) == "brief"
    assert {value("cache", find(kata), drawn) for kata in ("mha", "gqa", "sdpa")} == {"none"}
