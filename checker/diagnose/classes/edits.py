"""Model answers with mistakes in them, ready to run."""

from __future__ import annotations

from functools import cache
from typing import Any

import torch
from torch import Tensor, nn

from ....kata.catalogue import Kata
from ....kata.slips import with_number
from ....reference.mistakes import MISTAKES, Edit, Mistake, edited, fits
from ...judge.classes.plan import Size
from ...judge.classes.truth import Truth

__all__ = ["compiled", "fitting", "raising"]


@cache
def fitting(kata: Kata, numbers: tuple[str, ...] = ()) -> list[tuple[Mistake, Edit]]:
    """Return every mistake that a kata's model answer can have, the likeliest first.

    numbers: those that the submission has written, which an edit may take.
    """
    source = kata.solution()
    found = [
        (mistake, edit)
        for mistake in MISTAKES
        for template in mistake.edits
        for edit in with_number(template, numbers)
        if edit and fits(edit, source)
    ]
    return sorted(found, key=lambda pair: pair[0].rank)


@cache
def compiled(kata: Kata, edits: tuple[Edit, ...]) -> type[nn.Module] | None:
    """Compile an edited reference; None where the edits do not go together."""
    source = kata.solution()
    for edit in edits:
        if not fits(edit, source):
            return None
        source = edited(edit, source)
    namespace: dict[str, Any] = {"__name__": f"edited_{kata.id}", "torch": torch}
    exec(compile(source, f"<edited {kata.id}>", "exec"), namespace)  # noqa: S102 - our own text
    return namespace[kata.class_name]


def raising(kata: Kata, size: Size, inputs: dict[str, Tensor], words: str) -> Mistake | None:
    """Return the mistake with which the model answer raises a call's very words, sizes and all."""
    for mistake, edit in fitting(kata):
        truth = Truth(kata, size)
        truth.module.__class__ = compiled(kata, (edit,)) or type(truth.module)
        try:
            with torch.no_grad():
                truth.run(inputs, None)
        except RuntimeError as fault:
            if str(fault) == words:
                return mistake
    return None
