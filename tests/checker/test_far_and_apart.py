"""Far positions in half precision, axes that are kept apart, and lines in loops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from attn_kata.checker.diagnose.holding import holding
from attn_kata.checker.judge.given import Given
from attn_kata.checker.process.answers import Step
from attn_kata.checker.report.report import Report
from attn_kata.kata.catalogue import find
from attn_kata.kata.reading import BadContract, read_asked

Judge = Callable[..., Report]

_ROPE = """
import torch

def tables(x, positions, base):
    steps = torch.arange(0, x.shape[-1], 2, device=x.device).float()
    angles = {positions}[:, None] * base ** (-steps / x.shape[-1])
    return angles.cos(), angles.sin()

def rope_half_split(x, positions, base=10000):
    cos, sin = tables(x, positions, base)
    a, b = x.chunk(2, dim=-1)
    return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

def rope_interleaved(x, positions, base=10000):
    cos, sin = tables(x, positions, base)
    pairs = torch.view_as_complex({pairs})
    return torch.view_as_real(pairs * torch.complex(cos, sin)).flatten(-2)
"""
_PAIRS = "x.float().unflatten(-1, (-1, 2))"


def test_a_mistake_that_half_precision_alone_shows_is_named_with_its_line(judged: Judge) -> None:
    """Positions in the inputs' dtype are right in float64, and at far positions in half wrong."""
    report = judged("rope", _ROPE.format(positions="positions.to(x.dtype)", pairs=_PAIRS))
    failed = [check for check in report.checks if check.status == "fail"]
    assert [check.id for check in failed] == ["dtypes"]
    assert "far positions" in str(failed[0].detail)
    assert [one.mistake for one in report.diagnosis] == ["rope-low-precision"]
    assert report.diagnosis[0].line in {6, 7}


def test_float32_angles_are_right_at_far_positions(judged: Judge) -> None:
    """What every library does passes, and so does a view that needs a contiguous last axis."""
    source = _ROPE.format(positions="positions.float()", pairs=_PAIRS)
    assert judged("rope", source).verdict == "pass"


def test_a_table_that_ends_too_early_is_not_blamed_on_the_dtype(judged: Judge) -> None:
    """Positions beyond a fixed table raise in the half dtypes alone, where they are tried."""
    looked_up = "torch.arange(2100, device=x.device).float()[positions]"
    report = judged("rope", _ROPE.format(positions=looked_up, pairs=_PAIRS))
    failed = [check for check in report.checks if check.status == "fail"]
    assert [check.id for check in failed] == ["dtypes"]
    assert "IndexError" in str(failed[0].detail)
    assert report.diagnosis == []


def _step(line: int, **held: Any) -> Step:
    return Step(call="", line=line, lines=[line], numbers=[], shapes=[], shape=None, weights=[],
                dtype=None, **held)  # fmt: skip


def test_a_step_of_a_loop_is_known_by_its_last_position() -> None:
    """Where the model answer makes all positions at once, a loop makes one at a time."""
    whole = torch.randn(2, 3, 4, 5, generator=torch.Generator().manual_seed(0))
    steps = [_step(place, values=[whole[:, :, place]]) for place in range(4)]
    found = holding(whole, steps, Given(tensors={}, plain={}))
    assert found is not None
    assert found.line == 3


_BY_HEAD = """
import torch

def phi(x):
    return torch.nn.functional.elu(x) + 1

def linear_attention(query, key, value):
    rows = []
    for q, k, v in zip(phi(query).flatten(0, 1), phi(key).flatten(0, 1), value.flatten(0, 1)):
        weights = q @ k.mT
        rows.append(weights @ v / weights.sum(-1, keepdim=True))
    return torch.stack(rows).unflatten(0, query.shape[:2])

def causal_linear_attention(query, key, value):
    q, k = phi(query), phi(key)
    states = (k.unsqueeze(-1) * value.unsqueeze(-2)).cumsum(2)
    return (q.unsqueeze(-1) * states).sum(-2) / (q * k.cumsum(2)).sum(-1, keepdim=True)
"""


def test_axes_are_kept_apart_in_small_tensors_too(judged: Judge) -> None:
    """One head's square matrix is smaller than what all heads may have, and still not allowed."""
    report = judged("linear", _BY_HEAD)
    assert [check.id for check in report.checks if check.status == "fail"] == ["structure"]
    assert [(one.mistake, one.line) for one in report.diagnosis] == [("tensor-too-large", 10)]


def test_lengths_that_are_kept_apart_are_no_other_size() -> None:
    """A value with a column of ones for the normaliser is no matrix of lengths."""
    for row in [*find("linear").asked.sizes.rows()][:2]:
        lengths = {row[symbol] for symbol in "TQK"}
        features = [row["D"], row["V"], row["V"] + 1, row["D"] * row["V"], row["B"] * row["H"]]
        assert not lengths & {row["B"], row["H"], *features}, row


def test_far_is_of_numbers_alone() -> None:
    """What is true or false has no far values."""
    argument = {"name": "x", "is": "booleans", "shape": ["T"], "far": 9}
    row = {"name": "f", "argument": [argument], "result": [{"name": "y", "shape": ["T"]}]}
    data = {"sizes": {"T": [2, 1]}, "axes": {"T": "length"}, "function": [row]}
    with pytest.raises(BadContract, match="far"):
        read_asked(data)
