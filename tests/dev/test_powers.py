"""docs/judge.md shows which check and option is run for which kata."""

import re

import pytest
from attn_kata.dev import powers
from attn_kata.dev.powers import COLUMNS, RUN
from attn_kata.kata.catalogue import find, katas


@pytest.fixture
def page(root):
    """The page that shows the table."""
    return (root / "docs" / "judge.md").read_text("utf-8")


def test_every_kata_and_power_is_shown(page):
    """A row a kata, a column a power, and each cell is run or a letter with its reason."""
    shown = page.partition("<!-- powers -->")[2].partition("<!-- end of powers -->")[0]
    rows = [line.strip("| ").split(" | ") for line in shown.splitlines() if line[:2] == "| "]
    assert rows[0] == ["kata", *COLUMNS]
    assert [row[0] for row in rows[1:]] == [kata.id for kata in katas() if not kata.kernels]
    reasons = dict(re.findall(r"^- ([a-z]): (.+)$", shown, re.MULTILINE))
    cells = {cell for row in rows[1:] for cell in row[1:]}
    assert cells == {RUN, *reasons}
    assert "not seen" not in reasons.values()


@pytest.mark.slow
def test_the_table_is_made_by_judging():
    """A power that a kata does not ask for has the report's reason, one that is run ✓."""
    lines = powers.table([find("drill-mask")]).splitlines()
    found = dict(zip(COLUMNS, lines[2].strip("| ").split(" | ")[1:], strict=True))
    reasons = dict(line[2:].split(": ") for line in lines if line.startswith("- "))
    assert {found[name] for name in ("values", "purity", "GPU", "pretended GPU", "kept")} == {RUN}
    assert reasons[found["stability"]] == "not asked in this kata"
    assert reasons[found["train"]] == "a function has no modes"


@pytest.mark.slow
def test_the_table_is_up_to_date(page):
    """`make screens` would change nothing."""
    assert powers.table() in page
