"""Files that are written otherwise: their text, their lines and what they compute."""

from __future__ import annotations

import ast
import subprocess
import sys

import pytest
from attn_kata.dev.rewrite import PASSES, rewrite
from attn_kata.kata.catalogue import find, katas

# Something for every pass to change.
PLAIN = """
import math
import torch
from torch import Tensor, nn

class Attention(nn.Module):
    \"\"\"Heads.\"\"\"

    def __init__(self, dim, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.head_dim = dim // heads
        self.to_qkv = nn.Linear(dim, 3 * dim)

    def _cut(self, z: Tensor) -> Tensor:
        b, t, d = z.shape
        return z.view(b, t, self.heads, self.head_dim).transpose(1, 2)

    def forward(self, x: Tensor, mask=None) -> Tensor:
        q, k, v = map(self._cut, self.to_qkv(x).chunk(3, -1))

        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)  # scaled
        scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        context = weights @ v
        return context.transpose(1, 2).flatten(2)
"""


def test_the_same_seed_gives_the_same_file() -> None:
    """A seed decides; another seed makes another file."""
    source = find("mha").solution()
    made = [rewrite(source, seed=seed).source for seed in range(4)]
    assert made == [rewrite(source, seed=seed).source for seed in range(4)]
    assert len({*made, source}) == 5


def test_every_pass_changes_something() -> None:
    """No pass is idle: each changes this class, under one seed of five, and is then named."""
    seen = {
        name for seed in range(5) for name in rewrite(PLAIN, seed=seed, passes=[*PASSES]).passes
    }
    assert seen == set(PASSES)


@pytest.mark.parametrize("kata", katas(), ids=lambda kata: kata.id)
def test_followed_lines_are_found(kata) -> None:
    """Each statement's line is one line in the output, and holds a statement there."""
    source = kata.solution()
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Assign)]
    lines = sorted({node.lineno for node in nodes if node.lineno == node.end_lineno})
    made = rewrite(source, seed=1, follow=lines)
    assert sorted(made.lines) == lines
    rows = made.source.split("\n")
    assert all(rows[line - 1].strip() for line in made.lines.values())
    assert "#§" not in made.source


def test_a_line_is_followed_and_not_looked_for() -> None:
    """Of two lines that read alike, the followed one is found, wherever it went."""
    source = "def f(a):\n    b = a + 1\n    print(b)\n    b = a + 1\n    print(b)\n    return b\n"
    for seed in range(8):
        made = rewrite(source, seed=seed, follow=[4])
        rows = made.source.split("\n")
        printed = [number for number, row in enumerate(rows, 1) if "print" in row]
        assert printed[0] < made.lines[4] < printed[1]


@pytest.mark.parametrize(("source", "line"), [("x = 1\n", 3), ("x = 1\n", 0), ("x = 1  #§1\n", 1)])
def test_what_cannot_be_followed(source: str, line: int) -> None:
    """A line that is not there, and a source that holds marks already, are refused."""
    with pytest.raises(ValueError, match="line"):
        rewrite(source, seed=0, follow=[line])


def test_no_torch() -> None:
    """Rewriting is text: torch and the judge stay out of the process."""
    code = (
        "import sys; from attn_kata.dev.rewrite import rewrite; rewrite('x = 1', seed=0);"
        "sys.exit(any(n.startswith(('torch', 'attn_kata.checker')) for n in sys.modules))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
