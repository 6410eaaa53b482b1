"""What a constructor is given that is no size: a number with a default, by name or by default."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from attn_kata.checker.candidate.building import Built
from attn_kata.checker.judge.objects import constructions
from attn_kata.checker.process.answers import Entry, Parameter
from attn_kata.kata.catalogue import find
from attn_kata.kata.functions import Function
from attn_kata.kata.modules import Module
from torch import nn

ROTARY: Function = find("gqa-rope").asked.functions[0]
THREE = [("hidden_dim", ...), ("num_heads", ...), ("num_kv_heads", ...)]


def given(*arguments: tuple[str, Any]) -> dict[str, str]:
    """Which setting each argument of a constructor gets. arguments: names and defaults."""
    module = ROTARY.module
    assert isinstance(module, Module)
    made_with = [
        Parameter(name=name, kind="POSITIONAL_OR_KEYWORD", has_default=default is not ...,
                  default=None if default is ... else default)
        for name, default in arguments
    ]  # fmt: skip
    entry = Entry(name="Mine", line=1, arguments=None, constructor=made_with)
    plan = next(constructions(module, entry))
    return {name: source for name, kind, source in plan.arguments if kind == "setting"}


@pytest.mark.parametrize(
    "argument",
    [("base", 10000.0), ("rope_theta", 500000.0), ("th", 1e4), ("b", 10_000), ("theta", ...)],
)
def test_number_is_given(argument: tuple[str, Any]) -> None:
    """A number with a default is known by its name, or else by being that number."""
    assert given(*THREE, argument)[argument[0]] == "base"


@pytest.mark.parametrize(
    "argument", [("window", 4096), ("max_len", 10000), ("layer", 1), ("eps", 1e-5), ("on", True)]
)
def test_other_number_is_left_alone(argument: tuple[str, Any]) -> None:
    """An argument with another default, or another meaning, keeps its own."""
    assert argument[0] not in given(*THREE, argument)


def test_signature_tells_the_default() -> None:
    """What is asked for is told with the number that it is where nothing is said."""
    assert ROTARY.signature.endswith("(hidden_dim, num_heads, num_kv_heads, base=10000)")


def test_a_number_is_no_axis() -> None:
    """A number that no tensor is as long as does not count as a size where bounds are made."""
    assert "F" in ROTARY.numbers
    assert not ROTARY.numbers & {"B", "T", "E", "G", "D"}
    assert find("rope").asked.functions[0].numbers == set()


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32, torch.bfloat16, torch.float16])
def test_complex_buffers_stay_complex(dtype: torch.dtype) -> None:
    """An object brought to a dtype keeps complex buffers, of which `.to` would drop a half."""
    thing = nn.Linear(2, 3)
    thing.register_buffer("phases", torch.polar(torch.ones(4), torch.arange(4.0)))
    Built(thing).convert(dtype)
    assert thing.weight.dtype is dtype
    phases = thing.get_buffer("phases")
    assert phases.is_complex()
    assert torch.equal(phases, torch.polar(torch.ones(4), torch.arange(4.0)))


def test_frozen_parameters_are_constants() -> None:
    """A parameter that is frozen beside others is no weight; where all are, they are weights."""
    thing = nn.Linear(2, 3)
    thing.register_parameter("rates", nn.Parameter(torch.ones(4), requires_grad=False))
    assert list(Built(thing).weights) == ["weight", "bias"]
    thing.requires_grad_(False)
    assert list(Built(thing).weights) == ["weight", "bias", "rates"]
