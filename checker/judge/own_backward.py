"""Whether a backward pass that a file writes by hand is wrong: with autograd's own all is right."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from contextlib import suppress

from ..diagnose.edits.small_edits import SmallEdit
from ..diagnose.expressions import name_of
from ..process.handle import Ended, Foul
from .examine import Examination
from .likely import allow
from .retried import passing, sample, wrong_calls
from .source import Source

__all__ = ["by_hand", "mended_without"]

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


# A class that tells autograd both ways, and its `backward`.
ByHand = tuple[ast.ClassDef, ast.FunctionDef]


def by_hand(one: Examination, source: Source) -> list[ByHand]:
    """What a file tells autograd itself, where nothing but gradients is wrong."""
    if {*one.found.findings} != {"gradients"}:
        return []
    return [*_written(source)]


def mended_without(one: Examination, source: Source, some: Sequence[ByHand]) -> ByHand | None:
    """That of some without whose `backward` the gradients are right."""
    wrong = wrong_calls(one)
    # What ends the process, or what it reaches for, proves nothing.
    with suppress(Ended, Foul):
        allow(one.candidate)
        for each in some if wrong else ():
            edit = _without(each[0], source)
            edited = edit, edit.applied(source.text)
            if passing([wrong[0], *sample(wrong[1:])], [edited], one.candidate):
                return each
    return None


def _written(source: Source) -> Iterator[ByHand]:
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
