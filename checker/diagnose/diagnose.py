"""Name the mistake of a function: the edited model answer that gives its numbers, and its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import chain, combinations, compress, islice
from typing import Any

import torch
from torch import Tensor

from ...kata.catalogue import Kata
from ...kata.slips import Edit, Slip, variants
from ...reference.mistakes import changed_line
from ..judge import budget
from ..judge.compare import agree, alike
from ..judge.draw import Given
from ..judge.trials import Trial
from ..judge.truth import FAULTS, answers, made, options
from .chains import chained
from .holding import as_it_lies, holding, laid, moved
from .milestones import Step, find
from .places import Places
from .statements import statement
from .tiles import holding_part

__all__ = ["Named", "diagnose", "raising"]

# How many pairs of mistakes are tried: those of which a trace shows one, and others, which
# are as many for functions, since these take a tenth of the time.
_PAIRS, _UNMARKED = 600, 150
# How many of the steps that a mistake changes are looked for in a trace.
_LOOKED_FOR = 3
# Two runs of the model answer differ by rounding alone.
_SAME = 1e-9
_NUMBER = re.compile(r"\d+")
_Option = tuple[Slip, Edit]


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A mistake that gives the submission's numbers, its line, and a line of the model answer."""

    slip: Slip
    edit: Edit
    line: int | None
    reference: str | None
    matches: str | None


def diagnose(
    kata: Kata, name: str, evidence: Sequence[Trial], further: Sequence[Trial], places: Places,
    numbers: tuple[str, ...], *, below: tuple[Edit, ...] = (),
) -> list[Named]:  # fmt: skip
    """Return the mistakes that together give what a submission's function `name` gave.

    evidence: its calls with their answers, those without a mask and those with one. further:
    calls that are explained as well, where any mistake explains all. numbers: those that the
    submission has written. below: the mistakes of functions that this one calls.
    """
    likely = [one for one in options(kata, name, numbers) if _shows(one[0], evidence, places)]
    usable = [trial for trial in evidence if not trial.missing]
    others = [trial for trial in further if not trial.missing]
    if not usable or all(_explains(kata, name, below, many) for many in (usable, others)):
        return []
    bases: list[tuple[Edit, ...]] = [below, *((*below, edit) for edit in variants(kata.folder))]
    alone = ((base, found) for base in bases for found in _single(kata, name, likely, usable, base))
    pairs = (
        (base, found)
        for base in bases
        if not base or (not below and _differs(kata, name, base, usable))
        for found in _pairs(kata, name, likely, usable, base)
    )
    if kata.kind == "program":
        # Of a whole program's steps a trace tells more than trying pairs does.
        many = chained(kata, name, likely, usable, below, explains=_explains)
        pairs = chain(((below, found) for found in many), pairs)
    base, found = _fullest(kata, name, chain(alone, pairs), others)
    named = []
    source = kata.solution()
    for slip, edit in found:
        rest = (*base, *(e for s, e in found if s is not slip))
        line = _line(kata, name, slip, (rest, (*rest, edit)), [*usable, *others], places)
        reference, matches = changed_line(edit, source)
        named.append(Named(slip=slip, edit=edit, line=line, reference=reference, matches=matches))
    return sorted(named, key=lambda one: one.line or 0)


def _fullest(
    kata: Kata, name: str, many: Iterator[tuple[tuple[Edit, ...], list[_Option]]],
    further: Sequence[Trial],
) -> tuple[tuple[Edit, ...], list[_Option]]:  # fmt: skip
    """The first of the explanations that holds for further calls too, else the first."""
    first: tuple[tuple[Edit, ...], list[_Option]] | None = None
    with suppress(budget.Spent):
        for base, found in many:
            first = first or (base, found)
            if _explains(kata, name, (*base, *(edit for _, edit in found)), further):
                return base, found
    return first or ((), [])


def _single(
    kata: Kata,
    name: str,
    likely: Sequence[_Option],
    evidence: Sequence[Trial],
    base: tuple[Edit, ...],
) -> Iterator[list[_Option]]:
    """Yield each mistake that explains the evidence, beside a variant of the model answer."""
    telling, _ = _sorted(kata, name, evidence, base)
    for slip, edit in likely:
        if _explains(kata, name, (*base, edit), telling):
            yield [(slip, edit)]


def _pairs(
    kata: Kata,
    name: str,
    likely: Sequence[_Option],
    evidence: Sequence[Trial],
    base: tuple[Edit, ...],
) -> Iterator[list[_Option]]:
    """Yield the pairs of mistakes that explain the evidence, beside a variant."""
    telling, right = _sorted(kata, name, evidence, base)
    # Two mistakes don't cancel: where the submission is right, each of them does no harm.
    likely = [one for one in likely if _explains(kata, name, (*base, one[1]), right)]
    many = [*combinations(likely, 2)]
    # Of two mistakes the earlier leaves its own mark: pairs of which one does come first, and
    # of these the pairs whose mark is the longest.
    seen = _marking(kata, name, likely, evidence)
    lengths = [max(seen.get(edit, 0) for _, edit in pair) for pair in many]
    marked = sorted(compress(range(len(many)), lengths), key=lambda at: -lengths[at])
    unmarked = (at for at, length in enumerate(lengths) if not length)
    left = _UNMARKED if evidence[0].given.weights else _PAIRS
    for one, other in (many[at] for at in chain(marked[:_PAIRS], islice(unmarked, left))):
        edits = (*base, one[1], other[1])
        if one[0].id != other[0].id and _explains(kata, name, edits, telling):
            yield [one, other]


def _differs(kata: Kata, name: str, base: tuple[Edit, ...], evidence: Sequence[Trial]) -> bool:
    """Whether a variant of the model answer gives other numbers than the model answer."""
    for trial in evidence:
        plain, other = (_steps(kata, name, edits, trial) for edits in ((), base))
        if plain.keys() != other.keys() or not all(_alike(plain[n], other[n]) for n in plain):
            return True
    return False


def _sorted(
    kata: Kata, name: str, evidence: Sequence[Trial], base: tuple[Edit, ...]
) -> tuple[list[Trial], list[Trial]]:
    """The calls in the order in which they tell mistakes apart, and those that are right."""
    right: list[Trial] = []
    wrong: list[Trial] = []
    for trial in evidence:
        (right if _explains(kata, name, base, [trial]) else wrong).append(trial)
    return [*sorted(wrong, key=lambda trial: trial.weight), *right], right


def _marking(
    kata: Kata, name: str, likely: Sequence[_Option], evidence: Sequence[Trial]
) -> dict[Edit, int]:
    """How many of the first steps that an edit changes a trace holds, as the edit makes them."""
    trial = next((one for one in evidence if one.answer.get("steps")), None)
    if trial is None:
        return {}
    right, steps = _steps(kata, name, (), trial), trial.answer["steps"]
    found: dict[Edit, int] = {}
    for _, edit in likely:
        wrong = _steps(kata, name, (edit,), trial)
        differs = [v for n, v in wrong.items() if n not in right or not _alike(right[n], v)]
        held = [holding(v, steps, trial.given) is not None for v in differs[:_LOOKED_FOR]]
        found[edit] = sum(held)
    return found


def _shows(slip: Slip, evidence: Sequence[Trial], places: Places) -> bool:
    """Whether what tells a mistake from its twins is so: calls made, statements that are not."""
    made = [(trial.case.mask, trial.answer.get("steps", ())) for trial in evidence]
    masked = ({one["call"].strip("_") for one in steps} for mask, steps in made if mask is not None)
    if slip.calls and not all(set(slip.calls) & calls for calls in masked):
        return False
    ran = {line for _, steps in made for one in steps for line in one["lines"]}
    return not slip.unless or statement(places.around(ran), slip.unless) is None


def _explains(kata: Kata, name: str, edits: tuple[Edit, ...], evidence: Sequence[Trial]) -> bool:
    budget.spend()
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
    except FAULTS as fault:
        return _told(str(fault)) == _told(trial.answer.get("fault", {}).get("message", ""))
    if len(actual) < len(results):
        return False
    return all(
        mine.shape == theirs.shape and agree(mine, theirs, trial.bound, _kept(trial, theirs))
        for mine, theirs in zip(actual, results, strict=False)
    )


def _told(words: str) -> tuple[str, list[str]]:
    """What an exception says, and the sizes that it names, in whichever order they met."""
    return _NUMBER.sub("", words), sorted(_NUMBER.findall(words))


def raising(
    kata: Kata, name: str, trial: Trial, words: str, numbers: tuple[str, ...]
) -> Slip | None:
    """Return the mistake with which the model answer raises a call's very words, sizes and all."""
    for slip, edit in options(kata, name, numbers):
        functions = answers(kata, (edit,))
        try:
            if functions is not None:
                made(kata, functions[name], trial.posed)
        except FAULTS as fault:
            if str(fault) == words:
                return slip
    return None


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
    places: Places,
) -> int | None:
    """Where the trace first holds what the mistake makes; then where that line took it from.

    edits: those without and with the mistake.
    """
    for trial in evidence:
        steps = [step for step in trial.answer.get("steps", ()) if step["lines"]]
        if steps and slip.says:
            ran = {line for step in steps for line in step["lines"]}
            said = statement(places.around(ran), slip.says)
            if said is not None:
                return said
        if steps and slip.group == "return":
            return places.last_return(steps[-1]["lines"][-1])
        right, wrong = (_steps(kata, name, each, trial, whole=False) for each in edits)
        differs = [n for n, v in wrong.items() if n not in right or not _alike(right[n], v)]
        if not steps or not (differs or set(right) - set(wrong)):
            continue
        step = _overflow(steps) if slip.group == "overflow" else None
        given = trial.given
        step = step or _first_wrong(slip, right, wrong, differs, steps, given)
        step = step or _departure(right, steps, given)
        if step is None:
            continue
        others = {other for other in kata.names if other != name}
        blamed = _blamed(step, steps, right, wrong)
        step = places.within(step) if slip.group == "call" and kata.kind == "program" else step
        return places.behind(slip.group, step, steps) or places.own_line(blamed, others)
    return None


def _steps(
    kata: Kata, name: str, edits: tuple[Edit, ...], trial: Trial, *, whole: bool = True
) -> dict[str, Tensor]:
    """What an edited model answer names. whole: nothing where it raises, else all until then."""
    functions = answers(kata, edits)
    if functions is None:
        return {}
    try:
        with torch.no_grad():
            return made(kata, functions[name], trial.posed, whole=whole).steps
    except FAULTS:
        return {}


def _first_wrong(
    slip: Slip, right: dict[str, Tensor], wrong: dict[str, Tensor], differs: Sequence[str],
    steps: Sequence[Step], given: Given,
) -> Step | None:  # fmt: skip
    names = list(differs)
    start = next((name for name in slip.shows if name in names), None)
    if start is not None:
        names = names[names.index(start) :]
    for name in names:
        value = wrong[name]
        step = _displaced(value, right, steps, given)
        if step is None and given.weights and name in right and _rearranged(value, right[name]):
            # One head of it is some head of the right one too, and tells nothing.
            step = find(value.flatten(), list(steps))
        else:
            step = step or holding(value, steps, given)
            step = step or holding_part(value, right.get(name), steps, [*right.values()])
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
        return laid(value, steps) if any(_rearranged(v, value) for v in same) else None
    displaced = any(moved(value, one) and not _alike(value, one) for one in right.values())
    return as_it_lies(value, steps) if displaced else None


def _rearranged(left: Tensor, right: Tensor) -> bool:
    """Whether two tensors have the same entries, in any order."""
    return _alike(left.flatten().sort().values, right.flatten().sort().values)


def _overflow(steps: Sequence[Step]) -> Step | None:
    """The first step that comes to NaN, or to infinity above; of 0 / 0 the powers before it."""
    powers = None
    for step in steps:
        name = step["call"].strip("_")
        powers = step if name in {"exp", "exp2"} else powers
        if any(bool((v.isnan() | (v == torch.inf)).any()) for v in step["values"]):
            return (
                powers if powers and name in {"div", "truediv", "divide", "true_divide"} else step
            )
    return None


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


def _blamed(
    step: Step, steps: Sequence[Step], right: dict[str, Tensor], wrong: dict[str, Tensor]
) -> list[int]:
    """A step's lines; from its caller's on where a helper that it is in does right elsewhere."""
    lines = list(step["lines"])
    if any(one.numel() == v.numel() and _rearranged(one, v)
           for v in step["values"] for one in right.values()):  # fmt: skip
        # What is moved about is right elsewhere by its entries alone.
        return lines
    floats = [n for n, v in right.items() if v.is_floating_point() and v.numel() > 1]
    kept = [right[n] for n in floats if n in wrong and _alike(right[n], wrong[n])]
    while len(lines) > 1:
        others = [
            one for one in steps
            if one["lines"][-len(lines) :][:1] == lines[:1]
            and one["lines"][-len(lines) :] != lines
            and len(one["lines"]) >= len(lines)
        ]  # fmt: skip
        if not any(find(value, others) for value in kept):
            break
        lines = lines[1:]
    return lines


def _alike(left: Tensor, right: Tensor) -> bool:
    if left.dtype.is_floating_point != right.dtype.is_floating_point:
        return False
    return alike(left.double(), right.double(), _SAME)
