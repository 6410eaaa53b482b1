"""Files that are written otherwise: their text, their lines and what they compute."""

from __future__ import annotations

import ast
import subprocess
import sys
from random import Random

import libcst as cst
import pytest
from attn_kata.checker.report.report import Diagnosis, Report
from attn_kata.dev.fuzz import fault_of
from attn_kata.dev.rewrite import PASSES, rewrite
from attn_kata.dev.rewrite.layout import more_hints
from attn_kata.dev.rewrite.originals import Original, right, wrong
from attn_kata.dev.rewrite.proof import Recording, Unproved
from attn_kata.kata.catalogue import find

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

        b, t, d = x.shape
        scores = q @ k.transpose(-2, -1) / math.sqrt(self.head_dim)  # scaled
        scores = scores.masked_fill(mask == 0, float("-inf"))
        weights = torch.softmax(scores, dim=-1)
        context = weights @ v
        return context.transpose(1, 2).reshape(b, t, d)
"""

HINTED = """
import torch
from torch import Tensor, nn

class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()

def merge(heads):
    return heads.transpose(1, 2).flatten(2)
"""

THREE = """
import torch
from torch import nn

class Attention(nn.Module):
    def __init__(self, dim, heads):
        super().__init__()
        self.dim = dim
        self.heads = heads
        self.head_dim = dim // heads
        # Queries first.
        self.q_proj = nn.Linear(dim, dim, bias=False)
        self.k_proj = nn.Linear(dim, dim, bias=False)
        self.v_proj = nn.Linear(dim, dim, bias=False)

    def forward(self, x):
        b, t, d = x.shape
        q = self.q_proj(x).view(b, t, self.heads, -1).transpose(1, 2)
        k = self.k_proj(x).view(b, t, self.heads, -1).transpose(1, 2)
        v = self.v_proj(x).view(b, t, self.heads, -1).transpose(1, 2)
        return merged(torch.softmax(q @ k.mT, -1) @ v)

def merged(heads):
    return heads.transpose(1, 2).flatten(2)
"""
FUSED = """
from torch import nn

class Attention(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.qkv = nn.Linear(dim, 3 * dim)

    def forward(self, x):
        q, k, v = self.qkv(x).chunk(3, dim=-1)
        return (q @ k.mT).softmax(-1) @ v
"""


def test_the_same_seed_gives_the_same_file() -> None:
    """A seed decides; another seed makes another file."""
    source = find("mha").solution()
    made = [rewrite(source, seed=seed).source for seed in range(2)]
    assert made[0] == rewrite(source, seed=0).source
    assert len({*made, source}) == 3


def test_every_pass_changes_something() -> None:
    """No pass is idle: each changes one of these classes, under one seed of four, and is named."""

    def changes(name: str) -> bool:
        return any(
            rewrite(source, seed=seed, passes=[name]).passes == (name,)
            for seed in range(3)
            for source in (PLAIN, THREE, FUSED)
        )

    assert [name for name in PASSES if not changes(name)] == []


def test_a_hint_says_what_is_given() -> None:
    """A constructor's `heads` is a number; a function's may be the heads themselves."""
    hinted = more_hints(cst.parse_module(HINTED), Random(1)).code
    assert "dim: int, heads: int" in hinted
    assert "def merge(heads):" in hinted


@pytest.mark.parametrize("kata", ["causal", "flash", "gqa-rope", "drill-mask"])
def test_followed_lines_are_found(kata: str) -> None:
    """Each statement's line is one line in the output, and holds a statement there."""
    source = find(kata).solution()
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


def test_proof() -> None:
    """What computes the same is proved so by many calls, also under other names; what not, not."""
    answer = find("v3").solution()
    recording = Recording("v3", answer, seed=1)
    assert recording.verdict == "pass"
    renamed = answer.replace("query_proj", "to_q").replace("attention_mask", "mask")
    assert recording.hold(renamed) > 20
    for before, after in (
        ("math.sqrt(self.hidden_dim)", "math.sqrt(self.hidden_dim + 1e-6)"),
        ("attention_mask == 0", "attention_mask != 0"),
        ("context = ", "context = 0 * 1 / 0 "),
    ):
        assert before in answer
        with pytest.raises(Unproved):
            recording.hold(answer.replace(before, after))


def test_every_pass_is_proved() -> None:
    """Weights by other names, in lists, fused or raw, are followed, and so are settings."""
    answer = find("mha").solution()
    recording = Recording("mha", answer, seed=1)
    held = {
        name: recording.hold(made.source)
        for name in PASSES
        if (made := rewrite(answer, seed=3, passes=[name])).passes
    }
    assert {"attributes", "configured", "fused", "keyed", "listed", "sliced"} <= held.keys()
    assert min(held.values()) > 50


@pytest.mark.parametrize("kata", ["v3", "sdpa"])
def test_originals(kata: str) -> None:
    """Wrong ones declare a mistake and lines that are there; right ones declare none."""
    assert all(one.mistakes == {} for one in right(find(kata)))
    found = [*wrong(find(kata))]
    assert len(found) > 20
    for one in found:
        assert one.mistakes
        assert all(0 < line <= len(one.source.split("\n")) for line in one.lines)


def test_a_wrong_verdict_is_found() -> None:
    """A judge that rejects what is right, accepts what is wrong or names another line is caught."""
    fair = Original(
        name="x", kata="v3", source="a = 1\n", mistakes={"scale-missing": frozenset({1})}
    )
    sound = Original(name="x", kata="v3", source="a = 1\n", mistakes={})
    made = rewrite(fair.source, seed=0, follow=[1])

    def report(verdict: str, mistake: str = "", line: int = 0) -> Report:
        told = [Diagnosis(mistake=mistake, line=line, message="")] if mistake else []
        return Report(kata="v3", file="x", verdict=verdict, seed=1, torch="", diagnosis=told)

    def kind(original: Original, one: Report) -> str | None:
        return (fault_of(original, made, one) or (None,))[0]

    line = made.lines[1]
    assert kind(sound, report("pass")) is None
    assert kind(sound, report("fail", "scale-missing", line)) == "verdict"
    assert kind(fair, report("pass")) == "verdict"
    assert kind(fair, report("fail", "mask-ignored", line)) == "name"
    assert kind(fair, report("fail", "scale-missing", line + 1)) == "line"
    assert kind(fair, report("fail", "scale-missing", line)) is None
