"""What is right: the model answer's functions, whole or edited, and the steps that they name."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from types import FrameType
from typing import Any

import torch
from torch import Tensor

from ...kata.catalogue import Kata
from ...kata.slips import Edit, Slip, slips
from ...reference.mistakes import edited, fits
from ..milestones import HIDDEN
from .draw import Given

__all__ = ["Answers", "Made", "answers", "made", "options"]

Answers = dict[str, Callable[..., Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Made:
    """What a call gave: its results in order, and the tensors it named on the way."""

    results: tuple[Tensor, ...]
    steps: dict[str, Tensor]

    def counted(self, left_out: str) -> Tensor | None:
        """Which rows of the result have an agreed answer, (…, 1); None where all have one.

        left_out: the step whose rows hold nothing but hidden scores where there is none.
        """
        scores = self.steps.get(left_out)
        if scores is None:
            return None
        able = (scores > HIDDEN).any(-1, keepdim=True)
        return None if bool(able.all()) else able


@cache
def answers(kata: Kata, edits: tuple[Edit, ...] = ()) -> Answers | None:
    """Return the functions of the model answer, edited; None where the edits do not go together."""
    source = kata.solution()
    for edit in edits:
        if not fits(edit, source):
            return None
        source = edited(edit, source)
    namespace: dict[str, Any] = {"__name__": f"edited_{kata.id}", "torch": torch}
    try:
        exec(compile(source, _file(kata), "exec"), namespace)  # noqa: S102 - our own text
    except SyntaxError:
        return None
    return {name: namespace[name] for name in kata.names}


@cache
def options(kata: Kata, name: str) -> tuple[tuple[Slip, Edit], ...]:
    """Return every mistake that one of a kata's functions can have, the likeliest first."""
    source = kata.solution()
    elsewhere = _others(source, [other for other in kata.names if other != name])
    return tuple(
        (slip, edit)
        for slip in slips(kata.folder)
        for edit in slip.edits
        if fits(edit, source) and not any(before in elsewhere for before, _ in edit)
    )


def _others(source: str, names: list[str]) -> str:
    """The text of other functions that are asked for; what only helps them may be anyone's."""
    rows = source.splitlines(keepends=True)
    found = [
        "".join(rows[node.lineno - 1 : node.end_lineno])
        for node in ast.parse(source).body
        if isinstance(node, ast.FunctionDef) and node.name in names
    ]
    calls = {
        node.func.id
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    }
    # One that another of them calls is a helper as well.
    return "" if calls & set(names) else "".join(found)


def made(kata: Kata, function: Callable[..., Any], given: Given) -> Made:
    """Call a function of the model answer, and keep what it and its helpers name."""
    file = _file(kata)
    found: dict[str, Tensor] = {}

    def watch(frame: FrameType, event: str, _: object) -> None:
        if event == "return" and frame.f_code.co_filename == file:
            code = frame.f_code
            arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            for name, value in frame.f_locals.items():
                if isinstance(value, Tensor) and name not in arguments:
                    found[name] = value.detach()

    before = sys.getprofile()
    sys.setprofile(watch)
    try:
        result = function(**given.tensors, **given.plain)
    finally:
        sys.setprofile(before)
    results = result if isinstance(result, tuple) else (result,)
    return Made(results=results, steps={**found, "output": results[0].detach()})


def _file(kata: Kata) -> str:
    return f"<model answer {kata.id}>"
