"""The growing sequence on the screen."""

from __future__ import annotations

import pytest
from attn_kata.practice.decoding import Row, Stage
from attn_kata.terminal.live import conclusion_lines, stage_lines
from attn_kata.terminal.text import Line, cells


def row(moved: float | None) -> Row:
    """A row that moved so far."""
    return Row(values=(-12.5, 0.25, 1.0, -0.75), moved=moved)


STAGES = [
    Stage(masked=(row(None),), opened=(row(None),)),
    Stage(masked=(row(0.0), row(None)), opened=(row(0.31), row(None))),
]


def text(lines: list[Line]) -> list[str]:
    """The lines without their styles."""
    return ["".join(part for part, _ in line) for line in lines]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [48, 80, 100])
def test_every_line_fits(language: str, width: int) -> None:
    """No line is wider than the terminal."""
    for stage in STAGES:
        lines = text(stage_lines(stage, 6, language, width))
        assert max(map(cells, lines)) <= width
    whole = Stage(masked=(row(0.0),) * 6, opened=(row(0.31),) * 6)
    assert max(map(cells, text(stage_lines(whole, 6, language, width)))) <= width
    assert max(map(cells, text(conclusion_lines(STAGES, language, width)))) <= width


@pytest.mark.parametrize("language", ["en", "zh"])
def test_both_sides_stand_side_by_side_where_there_is_room(language: str) -> None:
    """And below each other where there is none."""
    wide, narrow = (stage_lines(STAGES[1], 6, language, width) for width in (80, 60))
    assert len(narrow) > len(wide)


def test_a_row_says_what_became_of_it() -> None:
    """New, the same, or by how much it moved."""
    lines = text(stage_lines(STAGES[1], 2, "en", 80))
    assert any("whole sequence" in line for line in lines)
    first = next(line for line in lines if line.startswith("  we "))
    assert "same" in first
    assert "≠ 0.31" in first
    second = next(line for line in lines if line.startswith("  write"))
    assert second.count("new") == 2


def test_the_end_counts_rows() -> None:
    """The conclusion is counted, not asserted."""
    lines = " ".join(text(conclusion_lines(STAGES, "en", 200)))
    assert "of 1 row that was already there when a token arrived, 0 changed" in lines
    assert "without the mask: of 1, 1 changed" in lines
