"""Whether a backward pass that a file writes by hand is wrong: with autograd's own all is right."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress

from ..diagnose.edits.small_edits import SmallEdit
from ..diagnose.expressions import name_of
from ..process.handle import Ended, Foul
from .examine import Examination
from .likely import allow
from .retried import passing, sample, wrong_calls
from .source import Source

__all__ = ["by_hand"]

# Stands behind the class: what its `forward` does is followed by autograd then.
_FOLLOWED = """
class _Context:
    saved_tensors, needs_input_grad = (), (True,) * 64

    def save_for_backward(self, *tensors):
        self.saved_tensors = tensors

    def mark_dirty(self, *tensors): ...

    def mark_non_differentiable(self, *tensors): ...

    def set_materialize_grads(self, value): ...


{name}.apply = staticmethod(lambda *given: {name}.forward({context}*given))
"""


def by_hand(one: Examination, source: Source) -> tuple[str, int] | None:
    """The autograd function without whose `backward` the gradients are right, and its last line."""
    wrong = wrong_calls(one)
    # What ends the process, or what it reaches for, proves nothing.
    with suppress(Ended, Foul):
        allow(one.candidate)
        alone = bool(wrong) and {*one.found.findings} == {"gradients"}
        for function, backward in _written(source) if alone else ():
            edit = _without(function, source)
            units = [*wrong[:1], *sample(wrong[1:])]
            if passing(units, [(edit, edit.applied(source.text))], one.candidate):
                return function.name, backward.body[-1].lineno
    return None


def _written(source: Source) -> Iterator[tuple[ast.ClassDef, ast.FunctionDef]]:
    """The classes of a file that tell autograd both ways, each with its `backward`."""
    for each in source.classes.values():
        named = {part.name: part for part in each.body if isinstance(part, ast.FunctionDef)}
        if {"forward", "backward"} <= {*named} and "Function" in map(name_of, each.bases):
            yield each, named["backward"]


def _without(function: ast.ClassDef, source: Source) -> SmallEdit:
    """A file in which a function's `forward` alone is called."""
    apart = any(getattr(part, "name", "") == "setup_context" for part in function.body)
    rows = source.text.split("\n")
    end = function.end_lineno or 0
    at = sum(len(row) + 1 for row in rows[:end])
    new = _FOLLOWED.format(name=function.name, context="" if apart else "_Context(), ")
    return SmallEdit(end, at, at, f"{new}\n", 0)
