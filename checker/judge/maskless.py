"""Code that is right with a mask alone, though the mask may be left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ...kata.functions import Function
from .case import Case
from .draw import small
from .examine import Examination
from .mask_forms import in_form
from .trials import Finding, same
from .weighing import Weighing

__all__ = ["with_masks"]

# What Python says of an argument that is not given.
_ASKS = " required "
# What a mask that hides nothing may change by rounding.
_ROUNDED = 1e-4


def with_masks(
    one: Examination, finding: Finding | None, make: Callable[[Function], Examination]
) -> tuple[Examination, Finding] | None:
    """Try it with masks alone, and say what went wrong without; None where that is no better.

    It is where it is right, or where it runs at all and a call without a mask does not.
    finding: what the plainest call raised, or that it gave no tensor. make: makes another
    examination, of a function that has other arguments.
    """
    mask = one.function.mask
    if mask is None or not mask.optional or one.bound is None or mask.name in one.bound.missing:
        return None
    wrong = finding or _wrong(one)
    if wrong is None:
        return None
    needed, runs = replace(mask, optional=False), None
    for form in (None, *(mask.adapted if finding is not None else ())):
        shaped = needed if form is None else in_form(needed, (form,))
        arguments = tuple(shaped if each is mask else each for each in one.function.arguments)
        other = make(replace(one.function, arguments=arguments))
        if other.bind() is not None or other.bound is None:
            continue
        other.found.forms = () if form is None else mask.shapes
        if _wrong(other) is None:
            return other, wrong
        runs = runs or other
    raised = finding.fault.message if finding is not None and finding.fault else ""
    # What asks for another argument is given the mask in its place, and runs by chance.
    return (runs, wrong) if runs is not None and raised and _ASKS not in raised else None


def _wrong(one: Examination) -> Finding | None:
    """What is wrong with the plainest call; of a class whose weights have roles nothing is."""
    if isinstance(one, Weighing) and one.held.aligned:
        return None
    needs = one.function.needs_mask
    trial = one.trial(next(small(one.function, one.sizes, mask=needs)))
    if isinstance(one, Weighing):
        # Its weights are not known; but a mask that hides nothing may change nothing.
        kind = "values" if needs else _differs(one, trial.case)
        return Finding(kind=kind, trial=trial) if kind else None
    return trial.judge(one.run([trial])[0])


def _differs(one: Examination, plain: Case) -> str:
    """In what a call without a mask differs from one whose mask hides nothing, "" in nothing."""
    mask = one.function.mask
    assert mask is not None
    shown = one.trial(replace(plain, mask="full"))
    tensors = {name: t for name, t in shown.given.tensors.items() if name != mask.name}
    given = replace(shown.given, tensors=tensors, left=(*shown.given.left, mask.name))
    bare = one.trial_of(plain, given, one.found.work)
    left, right = (
        trial.results(answer)
        for trial, answer in zip((shown, bare), one.run([shown, bare]), strict=True)
    )
    if not left or (right and same(left, right, _ROUNDED)):
        return ""
    alike = [each.shape for each in left] == [each.shape for each in right]
    return "values" if alike else "shape"
