"""Sentences that changed are found in tables, in TOML and in Markdown, wherever they moved."""

import pytest
from attn_kata.dev.sentences import changed, sentences

TABLE = """
ROWS = (("said", "in English", "中文"), ("query", "key", "value"))
TOLD = {"told": {"en": "so", "zh": "如此"}, "other": {"en": "alone"}}
Row("row", en="a row", zh="一行")
"""
BULLETS = "# T\n\nOne\nline.\n\n## Head\n- a\n- b\n  c\n"


@pytest.mark.parametrize(
    ("name", "text", "found"),
    [
        ("a.py", TABLE, {
            "said (en)": "in English", "said (zh)": "中文", "told (en)": "so", "told (zh)": "如此",
            "row (en)": "a row", "row (zh)": "一行",
        }),
        ("a.toml", "[[q]]\nid = 'x'\nrate = 1\n[q.zh]\npoints = ['一', '二']\n", {
            "q.x.points.1 (zh)": "一", "q.x.points.2 (zh)": "二",
        }),
        ("a.zh.md", BULLETS, {
            "T 1 (zh)": "# T", "T 2 (zh)": "One line.", "Head 1 (zh)": "## Head",
            "Head 2 (zh)": "- a", "Head 3 (zh)": "- b c",
        }),
        ("README.md", BULLETS, {}),
    ],
)  # fmt: skip
def test_sentences(name, text, found):
    """Rows of three names are no sentences, nor is what stands under no language."""
    assert sentences(name, text) == found


def test_changed():
    """What only moved did not change; what came or went has one side."""
    old = {"1": "first", "2": "second", "3": "third"}
    new = {"1": "new", "2": "first", "3": "Third", "4": "second"}
    assert changed(old, new) == [("1", "", "new"), ("3", "third", "Third")]
