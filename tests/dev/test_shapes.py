"""Shape comments: those of the model answers are true, and a false one is caught."""

import shutil

import pytest
from attn_kata.dev.layout import Folder
from attn_kata.dev.shapes import SIZES, Comment, comments, shape_problems, sizes_of
from attn_kata.kata.catalogue import find, katas

NAMES = [kata.id for kata in katas()]


@pytest.fixture
def copied(tmp_path):
    """Copy a kata and its model answer, free to be spoilt."""

    def copy(name):
        kata = find(name)
        shutil.copytree(kata.folder, tmp_path / "kata" / kata.folder.name)
        (tmp_path / "reference").mkdir()
        shutil.copy(kata.solution_path, tmp_path / "reference")
        (found,) = Folder(path=tmp_path / "kata").katas()
        return found

    return copy


def spoil(kata, old, new):
    """Replace the first `old` in a model answer, which must be there."""
    text = kata.reference.read_text("utf-8")
    assert old in text
    kata.reference.write_text(text.replace(old, new, 1), "utf-8")


def test_sizes_differ():
    """No two names stand for one size."""
    assert len(set(SIZES.values())) == len(SIZES)


@pytest.mark.parametrize("name", NAMES)
def test_every_comment_is_true(copied, name):
    """Every model answer has shape comments, and each is what its line makes."""
    kata = copied(name)
    found, unreadable = comments(kata.reference.read_text("utf-8"), sizes_of(kata))
    assert len(found) >= 5
    assert unreadable == []
    assert list(shape_problems(kata)) == []


@pytest.mark.parametrize("name", NAMES)
def test_every_comment_is_looked_at(copied, name):
    """Each comment, made false, is a problem on its line."""
    kata = copied(name)
    source = kata.reference.read_text("utf-8")
    lines = source.splitlines(keepends=True)
    found = [comment.line for comment in comments(source, sizes_of(kata))[0]]
    for line in found:
        at = lines[line - 1].rindex("(")
        lines[line - 1] = f"{lines[line - 1][:at]}(1, {lines[line - 1][at + 1 :]}"
    kata.reference.write_text("".join(lines), "utf-8")
    told = [problem.partition(" says (1, ")[0] for problem in shape_problems(kata)]
    assert sorted(told) == sorted(f"reference/{kata.reference.name}:{line}:" for line in found)


@pytest.mark.parametrize(
    ("name", "old", "new", "problem"),
    [
        (
            "mha",
            "(batch, heads, length, head_dim)",
            "(batch, length, heads, head_dim)",
            "says (batch, length, heads, head_dim), which is (2, 5, 3, 4), and makes (2, 3, 5, 4)",
        ),
        ("v2", "# 3 × (", "# 2 × (", "makes 3 tensors and says 2"),
        ("v2", "# 3 × (", "# (", "makes 3 tensors and says 1"),
        ("v1", "(batch, length, length)", "(batch, len, len)", "cannot be read"),
        ("v1", "(batch, length, length)", "(batch, length, length) now", "cannot be read"),
        ("v1", "math.sqrt(self.hidden_dim)", "self.width", "raises AttributeError"),
        ("v1", "return context", "return context  # (batch, length)", "says (batch, length)"),
        ("v1", "super().__init__()", "super().__init__()  # (batch)", "makes no tensor"),
        ("v1", "import math", "import math  # (batch)", "or never runs"),
    ],
)
def test_false_comment(copied, name, old, new, problem):
    """A comment that is false, unreadable or out of place is found."""
    kata = copied(name)
    spoil(kata, old, new)
    (found,) = shape_problems(kata)
    assert problem in found


def test_comment_over_several_lines(copied):
    """A statement over several lines is held against the comment on any of them."""
    kata = copied("v1")
    spoil(
        kata,
        "weights @ value  # (batch, length, hidden_dim)",
        "(\n            weights\n            @ value\n        )  # (batch, length, batch)",
    )
    (found,) = shape_problems(kata)
    assert "says (batch, length, batch)" in found


def test_reading_comments():
    """Comments of other kinds, and those on lines of their own, are left alone."""
    source = "a = 1  # (batch, 3 * heads)\n# (batch)\nb, c = d  # 2 × (1)\ne = 2  # why (so)\n"
    assert comments(source) == ([Comment(1, 0, ("batch", "3 * heads")), Comment(3, 2, ("1",))], [])
