"""Nouns that go with their numbers, and what was printed, call by call."""

import pytest
from attn_kata.checker.process.prints import CALL_MARK, parted
from attn_kata.sentences.plurals import filled


@pytest.mark.parametrize(
    ("count", "said"),
    [(0, "0 lines"), (1, "1 line"), ("1", "1 line"), (2, "2 lines"), (11, "11 lines")],
)
def test_a_noun_goes_with_its_number(count, said):
    """One is one, and everything else is many, the number itself as ever."""
    assert filled("{count} {count:line|lines}", count=count) == said


def test_other_formats_stay():
    """A format of Python's own does what it does anywhere."""
    assert filled("{rate:.2g} of {name}", rate=0.123, name="a|b") == "0.12 of a|b"


def test_calls_are_parted():
    """The marks are gone, and each call's prints begin where one stood."""
    stream = f"loading\n{CALL_MARK}one\n{CALL_MARK}two\n"
    assert parted(stream) == ("loading\none\ntwo\n", [8, 12])
    assert parted("") == ("", [])
