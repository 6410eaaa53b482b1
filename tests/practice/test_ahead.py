"""A plain check is begun before its command line is read."""

from pathlib import Path

import attn_kata.checker
import pytest
from attn_kata.practice import ahead

CLASS = """from torch import nn
class MultiHeadAttention(nn.Module):
    def forward(self, x, mask=None):
        return x
"""


@pytest.fixture
def begun(tmp_path, monkeypatch):
    """Begin with command lines in a folder that holds some files; return what was begun."""
    (tmp_path / "mha.py").write_text(CLASS)
    (tmp_path / "mine.py").write_text(CLASS)
    (tmp_path / "none.py").write_text("x = 1\n")
    (tmp_path / "folder.py").mkdir()
    monkeypatch.chdir(tmp_path)
    found = []
    monkeypatch.setattr(
        attn_kata.checker, "begin_ahead", lambda kata, file, options: found.append((kata, file))
    )

    def begin(line):
        found.clear()
        ahead.begin(line.split())
        return [(kata, str(file)) for kata, file in found]

    return begin


@pytest.mark.parametrize(
    ("line", "file"),
    [
        ("check mha mine.py", "mine.py"),
        ("check mha mine.py --json", "mine.py"),
        ("check -q --no-record mha mine.py", "mine.py"),
        ("check MHA", "mha.py"),
        ("check mine.py -v", "mine.py"),
        ("check mha none.py", "none.py"),
    ],
)
def test_a_plain_line_begins(begun, line, file):
    """A kata and its file, or one of them, and what is to be shown."""
    assert begun(line) == [("mha", file)]


@pytest.mark.parametrize(
    "line",
    [
        "", "check", "watch mha mine.py", "--lang zh check mha mine.py", "check v1", "check -",
        "check mha mine.py mha.py", "check mha missing.py", "check mha folder.py",
        "check mha mine.py --seed 3", "check mha mine.py --seed=3", "check mha mine.py --heat",
        "check none.py", "check mine.py mha.py", "check nothing mine.py",
    ],
)  # fmt: skip
def test_any_other_line_begins_nothing(begun, line):
    """Where it is not plain what is judged, and how, the command itself finds out."""
    assert begun(line) == []


def test_what_cannot_be_read_begins_nothing(begun):
    """A file that says of no kata what it is, and a text that is none, are told of later."""
    Path("mine.py").write_bytes(b"\xff\xfe\x00\x00")
    assert begun("check mine.py") == []
