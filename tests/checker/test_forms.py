"""Messages are decoded into what they are typed as, or refused."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import pytest
from attn_kata.checker.process.forms import decode
from attn_kata.checker.process.jobs import Job, Options, TimeJob, job_of
from attn_kata.checker.process.wire import KIND, Garbled, pack, unpack


@dataclass(slots=True, kw_only=True)
class Leaf:
    """A part of a message."""

    size: int
    rate: float = 0.0
    line: int | None = None


@dataclass(slots=True, kw_only=True)
class Tree:
    """A message with every form in it."""

    name: str
    worth: int | float | bool | str | None = None
    first: Leaf | None = None
    leaves: list[Leaf] = field(default_factory=list[Leaf])
    shapes: list[list[int]] = field(default_factory=list[list[int]])
    named: dict[str, Leaf | None] = field(default_factory=dict[str, "Leaf | None"])


@pytest.mark.parametrize("job", [
    Job(kata="mha", file="/x/\udcff.py", options=Options(seed=3, class_name="A")),
    TimeJob(lengths=[128, 256]),
])  # fmt: skip
def test_jobs_come_back(job: Job | TimeJob) -> None:
    """What is packed and unpacked is the same, and of the same kind."""
    assert job_of(unpack(*pack(job))) == job


@pytest.mark.parametrize("message", [
    None, [], {}, {KIND: "Job"}, {KIND: "Options"}, {"lengths": [1]}, {KIND: "TimeJob"},
    {KIND: "TimeJob", "lengths": ["1"]}, {KIND: "TimeJob", "lengths": [1], "x": 1},
])  # fmt: skip
def test_what_is_no_job_is_refused(message: Any) -> None:
    """Another kind, a missing field and one too many are no job."""
    with pytest.raises(Garbled):
        job_of(message)


def test_parts_are_typed_too() -> None:
    """Lists, mappings and optional parts hold messages; what is left out has its default."""
    leaf = {"size": 3, "rate": 1}
    made = decode(
        Tree,
        {
            "name": "x", "worth": True, "first": dict(leaf), "leaves": [dict(leaf), {"size": 1}],
            "shapes": [[1, 2], []], "named": {"a": None, "b": dict(leaf)},
        },
    )  # fmt: skip
    whole = Leaf(size=3, rate=1)
    assert made == Tree(
        name="x", worth=True, first=whole, leaves=[whole, Leaf(size=1)], shapes=[[1, 2], []],
        named={"a": None, "b": whole},
    )  # fmt: skip
    assert decode(Tree, {"name": "x"}).leaves == []


@pytest.mark.parametrize("other", [
    {"name": 3}, {"name": None}, {"worth": []}, {"first": []}, {"first": {}},
    {"first": {"size": True}}, {"first": {"size": 1.0}}, {"first": {"size": 1, "rate": "1"}},
    {"first": {"size": 1, "line": "1"}}, {"leaves": {}}, {"leaves": [None]}, {"leaves": [[]]},
    {"shapes": [1]}, {"shapes": [["1"]]}, {"shapes": [[True]]}, {"named": []},
    {"named": {"a": 1}}, {"verdict": "pass"},
])  # fmt: skip
def test_other_forms_are_refused(other: dict[str, Any]) -> None:
    """A wrong type at any depth, and a field that nobody knows, are garbled."""
    with pytest.raises(Garbled):
        decode(Tree, {"name": "x", **other})
