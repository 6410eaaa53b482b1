"""What Python's compiler rejects is a syntax error with its line, and nothing of it is run."""

from __future__ import annotations

import json

import pytest
from attn_kata.checker.judge.source import Unreadable, read
from attn_kata.sentences.wording import sentence

# A source, the line at which Python rejects it, and its words.
REJECTED = {
    "return": ("import torch\n\nreturn torch\n", 3, "'return' outside function"),
    "await": ("x = 1\nawait x\n", 2, "'await' outside function"),
    "yield": ("x = 1\nyield x\n", 2, "'yield' outside function"),
    "break": ("if True:\n    break\n", 2, "'break' outside loop"),
    "future": ("import torch\nfrom __future__ import annotations\n", 2, "at the beginning"),
    "nonlocal": ("nonlocal x\n", 1, "nonlocal declaration not allowed at module level"),
    "duplicate": ("def f(a, a):\n    pass\n", 1, "duplicate argument 'a'"),
    "global": ("def f():\n    x = 1\n    global x\n", 3, "assigned to before global"),
    "unary": ("x = 1\ny = " + "-" * 20000 + "1\n", 2, "nests deeper"),
    "operators": ("x = 1\ny = [" + "+\n".join(["x"] * 40000) + "]\n", 40001, "nests deeper"),
    "space": ("s = '\u3000'\nx\u00a0= 1\n", 2, "U+00A0"),
    "wide space in a string": ("s = '\u3000'\nfor x in s\n", 2, "expected ':'"),
    "tabs alone": ("def f(x):\n\tif x:\n\t\t\treturn 1\n\t\treturn 2\n", 4, "unindent"),
    "form feed": ("x = 1\n\f\ns = '\u2028'\nreturn s\n", 4, "'return' outside function"),
}  # fmt: skip


def fault(path):
    """Return what is wrong with a file."""
    with pytest.raises(Unreadable) as caught:
        read(path)
    return caught.value


@pytest.mark.parametrize("name", REJECTED)
def test_what_the_compiler_rejects(tmp_path, name):
    """Every such file is told by its line and by what Python says."""
    source, line, words = REJECTED[name]
    (tmp_path / "mine.py").write_text(source, "utf-8")
    found = fault(tmp_path / "mine.py")
    assert (found.kind, found.line) == ("syntax", line), found.message
    assert words in sentence(found.message, "en")


def notebook(path, *cells):
    """Write a notebook of code cells."""
    rows = [{"cell_type": "code", "source": cell} for cell in cells]
    path.write_text(json.dumps({"cells": rows}), "utf-8")
    return path


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("x = 1\nreturn x", "line 2 is"),
        ("x = '\0'", "line 1 contains a null byte"),
        ("x = '\ud800'", "U+D800"),
    ],
)
def test_lines_of_a_notebook_are_those_of_the_cell(tmp_path, cell, words):
    """A cell that Python rejects is named with the line in it."""
    found = fault(notebook(tmp_path / "mine.ipynb", cell))
    assert sentence(found.message, "en").startswith("code cell 1: ")
    assert words in sentence(found.message, "en")


def test_other_cells_stand(tmp_path):
    """A cell that Python rejects does not take the others along, and is not forgotten."""
    source = read(notebook(tmp_path / "mine.ipynb", "class A: pass", "return", "B = A"))
    assert [type(node).__name__ for node in source.tree.body] == ["ClassDef", "Assign"]
    assert source.tree.body[1].lineno == 3
    assert source.broken is not None
    assert sentence(source.broken.message, "en").startswith("code cell 2: line 1")


def test_the_line_is_the_one_that_python_counts(tmp_path):
    """A separator inside a string ends no line."""
    (tmp_path / "mine.py").write_text("s = 'a\u2028b\x1c'\nx = 2\n", "utf-8")
    assert read(tmp_path / "mine.py").line(2) == "x = 2"


def test_nothing_is_run(tmp_path):
    """What a file does when it is imported is not done when it is read."""
    (tmp_path / "mine.py").write_text(f"open({str(tmp_path / 'made')!r}, 'w')\n", "utf-8")
    read(tmp_path / "mine.py")
    assert not (tmp_path / "made").exists()
