"""A model answer's text in the passages that an edit leaves as they are."""

from attn_kata.checker.judge.passages import passages

ORIGINAL = '''"""What it is."""

from __future__ import annotations

import math


@cache
def one(x):
    return math.sqrt(x)


WIDE = 1

def two(x):
    if x:
        import math
    return one(x)
'''


def test_what_is_the_same():
    """An edited function is a passage of its own; all others are those of the original."""
    edited = ORIGINAL.replace("math.sqrt(x)", "x")
    known, parts = [*passages(ORIGINAL, ORIGINAL)], [*passages(edited, ORIGINAL)]
    assert "".join(known) == ORIGINAL
    assert "".join(parts) == edited
    assert len(known) == len(parts) == 6
    assert [part for part in parts if part not in known] == [known[3].replace("math.sqrt(x)", "x")]


def test_what_is_further_in():
    """A line within a function is not the statement that the file itself has."""
    edited = ORIGINAL.replace("import math\n\n\n@cache", "import torch\n\n\n@cache")
    parts = [*passages(edited, ORIGINAL)]
    assert "".join(parts) == edited
    for part in parts:
        compile(part, "<part>", "exec")
