"""Name the mistake of a function: the edited model answer that gives its numbers, and its line."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, islice
from typing import Any

import torch
from torch import Tensor

from ...kata.catalogue import Kata
from ...kata.slips import Edit, Slip, variants
from ...reference.mistakes import changed_line
from ..compare import agree, alike
from ..milestones import HIDDEN, Step, find
from ..origins import Origins
from .draw import Given
from .tiles import holding_part
from .trials import Trial
from .truth import answers, made, options

__all__ = ["Named", "diagnose", "holding"]

_PAIRS = 2000
# Two runs of the model answer differ by rounding alone.
_SAME = 1e-9
# What went through a lower precision is still the same.
_ROUNDED = 1e-6
_Option = tuple[Slip, Edit]


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A mistake that gives the submission's numbers, its line, and a line of the model answer."""

    slip: Slip
    line: int | None
    reference: str | None
    matches: str | None


def diagnose(kata: Kata, name: str, evidence: Sequence[Trial], origins: Origins) -> list[Named]:
    """Return the mistakes that together give what a submission's function `name` gave.

    evidence: its calls with their answers, those without a mask and those with one.
    """
    usable = [trial for trial in evidence if not trial.missing]
    if not usable or _explains(kata, name, (), usable):
        return []
    bases: list[tuple[Edit, ...]] = [(), *((edit,) for edit in variants(kata.folder))]
    many = (
        (base, found)
        for most in (1, 2)
        for base in bases
        for found in _combinations(kata, name, usable, base, most)
    )
    base, found = next(many, ((), []))
    named = []
    source = kata.solution()
    for slip, edit in found:
        others = (*base, *(e for s, e in found if s is not slip))
        line = _line(kata, name, slip, (others, (*others, edit)), usable, origins)
        reference, matches = changed_line(edit, source)
        named.append(Named(slip=slip, line=line, reference=reference, matches=matches))
    return sorted(named, key=lambda one: one.line or 0)


def _combinations(
    kata: Kata, name: str, evidence: Sequence[Trial], base: tuple[Edit, ...], most: int
) -> Iterator[list[_Option]]:
    """Yield what explains the evidence: so many mistakes beside a variant of the model answer."""
    likely = [one for one in options(kata, name) if _shows(one[0], evidence)]
    for found in islice(combinations(likely, most), _PAIRS):
        told = {slip.id for slip, _ in found}
        edits = (*base, *(edit for _, edit in found))
        if len(told) == most and _explains(kata, name, edits, evidence):
            yield list(found)


def _shows(slip: Slip, evidence: Sequence[Trial]) -> bool:
    """Whether the calls by which a mistake is told from its twins were made."""
    masked = [
        {step["call"].strip("_") for step in trial.answer.get("steps", ())}
        for trial in evidence
        if trial.case.mask is not None
    ]
    return not slip.calls or all(set(slip.calls) & made for made in masked)


def _explains(kata: Kata, name: str, edits: tuple[Edit, ...], evidence: Sequence[Trial]) -> bool:
    functions = answers(kata, edits)
    if functions is None:
        return False
    return all(_agrees(kata, functions[name], trial) for trial in evidence)


def _agrees(kata: Kata, function: Callable[..., Any], trial: Trial) -> bool:
    """Whether an edited model answer gives what the submission gave, or raises as it did."""
    actual = [] if "fault" in trial.answer else trial.results(trial.answer)
    try:
        with torch.no_grad():
            results = made(kata, function, trial.posed).results
    except (RuntimeError, IndexError, ValueError, TypeError):
        return not actual
    if len(actual) < len(results):
        return False
    return all(
        mine.shape == theirs.shape and agree(mine, theirs, trial.bound, _kept(trial, theirs))
        for mine, theirs in zip(actual, results, strict=False)
    )


def _kept(trial: Trial, result: Tensor) -> Tensor | None:
    if trial.keep is None or trial.keep.dim() != result.dim():
        return None
    return trial.keep.expand(result.shape)


# -- the line ------------------------------------------------------------------------------


def _line(
    kata: Kata,
    name: str,
    slip: Slip,
    edits: tuple[tuple[Edit, ...], tuple[Edit, ...]],
    evidence: Sequence[Trial],
    origins: Origins,
) -> int | None:
    """Where the trace first holds what the mistake makes; then where that line took it from.

    edits: those without and with the mistake.
    """
    for trial in evidence:
        steps = [step for step in trial.answer.get("steps", ()) if step["lines"]]
        if steps and slip.group == "return":
            return _return(steps[-1]["lines"][-1], origins)
        right, wrong = (_steps(kata, name, each, trial) for each in edits)
        differs = [n for n, v in wrong.items() if n not in right or not _alike(right[n], v)]
        if not steps or not (differs or set(right) - set(wrong)):
            continue
        step = _overflow(steps) if slip.group == "overflow" else None
        given = trial.given
        step = step or _first_wrong(slip, right, wrong, differs, steps, given)
        step = step or _departure(right, steps, given)
        if step is None:
            continue
        return _origin(slip, step, steps, origins) or step["line"]
    return None


def _steps(kata: Kata, name: str, edits: tuple[Edit, ...], trial: Trial) -> dict[str, Tensor]:
    functions = answers(kata, edits)
    if functions is None:
        return {}
    try:
        with torch.no_grad():
            return made(kata, functions[name], trial.posed).steps
    except (RuntimeError, IndexError, ValueError, TypeError):
        return {}


def _first_wrong(
    slip: Slip, right: dict[str, Tensor], wrong: dict[str, Tensor], differs: Sequence[str],
    steps: Sequence[Step], given: Given,
) -> Step | None:  # fmt: skip
    names = list(differs)
    if slip.shows in names:
        names = names[names.index(slip.shows) :]
    for name in names:
        value = wrong[name]
        step = _displaced(value, right, steps, given)
        step = step or holding(value, steps, given) or holding_part(value, right.get(name), steps)
        if step is not None:
            return step
    return None


def _displaced(
    value: Tensor, right: dict[str, Tensor], steps: Sequence[Step], given: Given
) -> Step | None:
    """The step at which right entries come to lie where they do not belong, if that is all."""
    if given.weights:
        # What a layer made is moved about; the last step that holds it so is meant.
        same = (v for v in right.values() if v.numel() == value.numel())
        return _laid(value, steps) if any(_alike(*_sorted(v, value)) for v in same) else None
    moved = any(_moved(value, one) and not _alike(value, one) for one in right.values())
    return next((s for s in steps if _as_it_is(value, s)), None) if moved else None


def _sorted(left: Tensor, right: Tensor) -> tuple[Tensor, Tensor]:
    return left.flatten().sort().values, right.flatten().sort().values


def _laid(value: Tensor, steps: Sequence[Step]) -> Step | None:
    """The last step that holds a tensor as it lies."""
    return next((step for step in reversed(steps) if _as_it_is(value, step)), None)


def _overflow(steps: Sequence[Step]) -> Step | None:
    """The first step that comes to NaN, or to infinity above."""
    return next(
        (s for s in steps if any(bool((v.isnan() | (v == torch.inf)).any()) for v in s["values"])),
        None,
    )


def _departure(right: dict[str, Tensor], steps: Sequence[Step], given: Given) -> Step | None:
    """The first step, after the last that the model answer takes too, that is as large."""
    places = {id(step): place for place, step in enumerate(steps)}
    reached, wanted = -1, None
    for value in right.values():
        step = holding(value, steps, given)
        if step is not None:
            reached, wanted = max(reached, places[id(step)]), None
        elif wanted is None:
            wanted = value
    if wanted is None:
        return None
    sizes = (
        step for step in steps[reached + 1 :]
        if any(v.numel() == wanted.numel() for v in (*step["values"], *step["marks"]))
    )  # fmt: skip
    return next(sizes, None)


def holding(value: Tensor, steps: Sequence[Step], given: Given) -> Step | None:
    """The first step that holds a tensor's values, in any layout.

    Where they are an argument's own, moved about, every step may hold them in some layout, and
    only one that holds them in this very layout counts.
    """
    if value.is_floating_point() and any(_moved(value, one) for one in given.tensors.values()):
        return next((step for step in steps if _as_it_is(value, step)), None)
    if value.dim() > 1 and bool(((value == 0) | (value == 1)).all()):
        # What masks are made of shows all, or nothing: a mask that does is looked for from the end.
        even = value.dtype is torch.bool and bool((value == value.flatten()[0]).all())
        return _drawing(value != 0, steps[::-1] if even else steps)
    if value.is_floating_point():
        held = find(value, list(steps))
        if held is None and value.dim() > 3:
            # A loop along the length holds one position at a time.
            held = find(value.select(2, -1), list(steps))
        return held
    wanted = value.to(torch.int64).flatten().sort().values
    for step in steps:
        for held in step.get("marks", ()):
            if held.numel() == wanted.numel() and torch.equal(held.flatten().sort().values, wanted):
                return step
    return None


def _moved(value: Tensor, argument: Tensor) -> bool:
    """Whether a tensor is made of an argument's entries, each once."""
    if not argument.is_floating_point() or value.numel() != argument.numel() or value.numel() < 2:
        return False
    return torch.equal(value.flatten().sort().values, argument.flatten().sort().values)


def _as_it_is(value: Tensor, step: Step) -> bool:
    return any(
        held.shape == value.shape and alike(held.double(), value, _ROUNDED)
        for held in step.get("values", ())
    )


def _drawing(shown: Tensor, steps: Sequence[Step]) -> Step | None:
    """The first step that holds a mask or its opposite, as ones, booleans or what is added."""
    for step in steps:
        for held in (*step.get("marks", ()), *step.get("values", ())):
            if held.dim() < 2 or held.numel() != shown.numel():
                continue
            flat = held.reshape(shown.shape)
            for seen in (flat != 0, flat > HIDDEN):
                if torch.equal(seen, shown) or torch.equal(~seen, shown):
                    return step
    return None


def _origin(slip: Slip, step: Step, steps: Sequence[Step], origins: Origins) -> int | None:
    lines = step["lines"]
    if slip.group == "softmax":
        return origins.softmax(lines)
    if slip.group == "scale":
        return origins.scale(lines)
    if slip.group == "fill":
        return origins.fill(lines)
    if slip.group == "loop":
        return _loop(lines, origins)
    if slip.group == "call":
        return lines[-1]
    if slip.group == "mask":
        ran = {line for one in steps for line in one["lines"]}
        return origins.unmasked_branch(ran) or origins.unmasked_call()
    return None


def _loop(lines: Sequence[int], origins: Origins) -> int | None:
    """The innermost loop around a line, or around one that called it; else the last before it."""
    loops = [node for node in ast.walk(origins.tree) if isinstance(node, (ast.For, ast.While))]
    for line in lines:
        around = [one.lineno for one in loops if one.lineno <= line <= (one.end_lineno or 0)]
        if around:
            return max(around)
    return max((one.lineno for one in loops if one.lineno < lines[0]), default=None)


def _return(line: int, origins: Origins) -> int | None:
    """The last return of the function that a line stands in."""
    functions = [node for node in ast.walk(origins.tree) if isinstance(node, ast.FunctionDef)]
    around = [one for one in functions if one.lineno <= line <= (one.end_lineno or 0)]
    returns = [
        node.lineno for one in around for node in ast.walk(one) if isinstance(node, ast.Return)
    ]
    return max(returns, default=None)


def _alike(left: Tensor, right: Tensor) -> bool:
    if left.dtype.is_floating_point != right.dtype.is_floating_point:
        return False
    return alike(left.double(), right.double(), _SAME)
