"""A lesson on the screen."""

import pytest
from attn_kata.kata.catalogue import find, katas
from attn_kata.kata.lessons import lesson
from attn_kata.terminal.lesson import composed, lesson_lines
from attn_kata.terminal.picture import svg
from attn_kata.terminal.text import cells, written


@pytest.mark.parametrize("language", ["en", "zh"])
def test_it_fits_80_columns(language):
    """No line of any lesson is wider than the screen."""
    for kata in katas():
        for line in lesson_lines(lesson(kata, language), 80, colour=False):
            assert cells(written(line)) <= 80, (kata.id, written(line))


def test_numbers_have_shades():
    """The picture says each number, and by a shade or a background how large it is."""
    told = lesson(find("causal"), "en")
    plain = [written(line) for line in lesson_lines(told, 80, colour=False)]
    assert "    query 1   0.08  █0.92   0      0     " in plain
    styles = {style for line in lesson_lines(told, 80, colour=True) for _, style in line}
    assert {"heat0", "heat8"} <= styles


def test_a_wide_picture_is_cut_into_pieces():
    """On a narrow screen columns go below each other, and none is lost."""
    told = lesson(find("mha"), "en")
    rows = [written(line) for line in lesson_lines(told, 40, colour=False)]
    for name in told.plot.columns:
        assert any(name in row for row in rows)
    assert sum("query 2" in row for row in rows) > 1


def test_the_picture_as_svg():
    """The file has a box and a number for every value, and the labels."""
    told = lesson(find("v1"), "en")
    drawn = svg(composed(told.plot, "Self-attention")).decode()
    assert drawn.count("<rect") == 1 + 9
    assert ">query 2<" in drawn
    assert ">Self-attention<" in drawn
